-- Invoices take what was recorded up to a cut-off, so nothing may be recorded at or before a cut-off once it was taken. now() is
-- the start of a transaction, which may commit after a later cut-off: its usage would be behind a closed invoice, and never
-- billed. Instead every writer of the ledger shares a lock before it reads the clock, and a cut-off takes that lock alone.
create table usage_cut_off (
  -- There is one row.
  is_last boolean primary key default true check (is_last),
  cut_off_at timestamptz not null
);
insert into usage_cut_off (cut_off_at) values ('-infinity');
grant select on usage_cut_off to turnpike_meter, turnpike_operator;

-- The instant at which usage of this transaction is recorded, in whole milliseconds: later than every cut-off, even when the
-- clock was set back since.
create function stamp_usage() returns timestamptz
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  perform pg_advisory_xact_lock_shared(7163031);
  -- A statement of its own, which sees the cut-off that the lock may have waited for.
  return (
    select greatest(date_trunc('milliseconds', clock_timestamp()), c.cut_off_at + interval '1 millisecond')
    from public.usage_cut_off c
  );
end
$$;
revoke execute on function stamp_usage() from public;
grant execute on function stamp_usage() to turnpike_meter;

alter table ledger_groups drop column recorded_at;

-- Takes a cut-off: usage recorded up to the returned instant is in the ledger, and whatever is recorded from now on is later.
-- New usage waits until the transaction ends, so it should end at once. Fails with lock_not_available after a second.
create function cut_off_usage() returns timestamptz
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  taken timestamptz;
begin
  perform public.lock_within_a_second(7163031);
  update public.usage_cut_off c
  set cut_off_at = greatest(date_trunc('milliseconds', clock_timestamp()), c.cut_off_at)
  returning c.cut_off_at into taken;
  return taken;
end
$$;
revoke execute on function cut_off_usage() from public;
grant execute on function cut_off_usage() to turnpike_meter;

-- Records a batch of events: identities, events, ledger, recent usage and balances, whole or not at all. Every writer stamps
-- first, then takes identities in their order, then what the other writers of the ledger take in their order, then the rollups of meters: no
-- deadlock. Arrays that begin alike have one item for each event, those of measures one for each event and meter.
--
-- Returns the positions (from 1) of events that were there before, of which nothing is written; null when the meters are not
-- those of `meters_revision` any more, and nothing is written at all.
create or replace function record_events(
  batch text, meters_revision bigint,
  event_hashes uuid[], event_tenants text[], event_keys text[], event_sources text[], event_names text[], event_types text[],
  event_times timestamptz[], event_data text[],
  measure_events int[], measure_tenants text[], measure_keys text[], measure_origins text[], measure_meters text[],
  measure_versions int[], measure_times timestamptz[], measure_period_starts timestamptz[],
  measure_period_ends timestamptz[], measure_quantities numeric[], measure_values numeric[], measure_latests numeric[],
  measure_uniques uuid[], measure_dimensions text[]
) returns int[]
  language plpgsql
  set jit = off
as $$
declare
  is_new boolean[];
  known int[];
  recorded timestamptz;
begin
  if (select coalesce(sum(version), 0) from meters where event_type is not null) <> meters_revision then
    return null;
  end if;
  recorded := stamp_usage();

  with fresh as (
    insert into event_ids (event_hash)
    select hash from unnest(event_hashes) as input (hash) order by hash
    on conflict do nothing
    returning event_hash
  )
  select array_agg(is_fresh order by position), coalesce(array_agg(position::int order by position) filter (where not is_fresh), '{}')
  into is_new, known
  from (
    -- No join: how many items an array has is not known when a plan is made, and a loop over both sides would be slow.
    select hash in (select event_hash from fresh) as is_fresh, position
    from unnest(event_hashes) with ordinality as input (hash, position)
  ) identities;

  insert into usage_events (tenant_id, recorded_at, occurred_at, event_hash, source, event_id, event_type, key_id, data)
  select tenant_id, now(), occurred_at, hash, source, event_id, event_type, key_id, data
  from unnest(event_hashes, event_tenants, event_times, event_sources, event_names, event_types, event_keys, event_data,
    is_new) as input (hash, tenant_id, occurred_at, source, event_id, event_type, key_id, data, fresh)
  where fresh;

  with minutes as materialized (
    select tenant_id, date_trunc('minute', occurred_at) as occurred_at, meter_id, key_id, period_start, count(*) as calls,
      sum(quantity) as quantity
    from unnest(measure_events, measure_tenants, measure_times, measure_meters, measure_keys, measure_period_starts,
      measure_quantities) as input (event, tenant_id, occurred_at, meter_id, key_id, period_start, quantity)
    where is_new[event]
    group by 1, 2, 3, 4, 5
  ), entries as (
    insert into ledger_entries (tenant_id, group_id, occurred_at, recorded_at, period_start, meter_id, environment, key_id,
      outcome, status, calls, quantity)
    select tenant_id, batch, occurred_at, recorded, period_start, meter_id, 'live', key_id, 'VALID', 200, calls, quantity
    from minutes
  )
  insert into recent_usage (tenant_id, occurred_at, meter_id, environment, outcome, status, method, route, key_ids, calls,
    quantities, bytes_in, bytes_out, latency_buckets, latency_counts)
  select tenant_id, occurred_at, meter_id, 'live', 'VALID', 200, '', '', array_agg(key_id), array_agg(calls),
    array_agg(quantity), '{}', '{}', '{}', '{}'
  from (
    select tenant_id, occurred_at, meter_id, key_id, sum(calls) as calls, sum(quantity) as quantity
    from minutes
    group by 1, 2, 3, 4
  ) keys
  group by 1, 2, 3;

  insert into balances as b (tenant_id, meter_id, environment, period_start, period_end, used)
  select tenant_id, meter_id, 'live', period_start, max(period_end), sum(quantity)
  from unnest(measure_events, measure_tenants, measure_meters, measure_period_starts, measure_period_ends,
    measure_quantities) as input (event, tenant_id, meter_id, period_start, period_end, quantity)
  where is_new[event] and quantity > 0
  group by 1, 2, 4
  order by tenant_id collate "C", meter_id collate "C", period_start
  on conflict (tenant_id, meter_id, environment, period_start) do update set used = b.used + excluded.used;

  insert into key_balances as b (tenant_id, key_id, meter_id, period_start, period_end, used)
  select tenant_id, key_id, meter_id, period_start, max(period_end), sum(quantity)
  from unnest(measure_events, measure_tenants, measure_origins, measure_meters, measure_period_starts,
    measure_period_ends, measure_quantities)
    as input (event, tenant_id, key_id, meter_id, period_start, period_end, quantity)
  where is_new[event] and quantity > 0 and key_id <> ''
  group by 1, 2, 3, 4
  order by tenant_id collate "C", key_id collate "C", meter_id collate "C", period_start
  on conflict (tenant_id, key_id, meter_id, period_start) do update set used = b.used + excluded.used;

  insert into meter_rollups as r (tenant_id, meter_id, meter_version, occurred_at, dimensions, events, total, smallest,
    largest)
  select tenant_id, meter_id, meter_version, quarter, dimensions::text[], count(*), sum(value), min(value), max(value)
  from (
    select tenant_id, meter_id, meter_version, date_bin('15 minutes', occurred_at, 'epoch') as quarter, dimensions, value
    from unnest(measure_events, measure_tenants, measure_meters, measure_versions, measure_times, measure_dimensions,
      measure_values) as input (event, tenant_id, meter_id, meter_version, occurred_at, dimensions, value)
    where is_new[event]
  ) measures
  group by 1, 2, 3, 4, measures.dimensions
  order by tenant_id collate "C", meter_id collate "C", meter_version, quarter, measures.dimensions collate "C"
  on conflict (tenant_id, meter_id, meter_version, occurred_at, dimensions) do update
    set events = r.events + excluded.events,
      -- Sums of nothing are null, and so are those of meters without values.
      total = case when r.total is null then excluded.total else r.total + coalesce(excluded.total, 0) end,
      smallest = least(r.smallest, excluded.smallest),
      largest = greatest(r.largest, excluded.largest);

  if cardinality(array_remove(measure_latests, null)) > 0 then
    update meter_rollups r
    set latest = fresh.value, latest_at = fresh.occurred_at, latest_hash = fresh.hash
    from (
      select distinct on (tenant_id, meter_id, meter_version, quarter, dimensions) *
      from (
        select tenant_id, meter_id, meter_version, date_bin('15 minutes', occurred_at, 'epoch') as quarter,
          dimensions::text[] as dimensions, value, occurred_at, event_hashes[event] as hash
        from unnest(measure_events, measure_tenants, measure_meters, measure_versions, measure_times, measure_dimensions,
          measure_latests) as input (event, tenant_id, meter_id, meter_version, occurred_at, dimensions, value)
        where is_new[event] and value is not null
      ) measures
      order by tenant_id, meter_id, meter_version, quarter, dimensions, occurred_at desc, hash desc
    ) fresh
    where r.tenant_id = fresh.tenant_id and r.meter_id = fresh.meter_id and r.meter_version = fresh.meter_version
      and r.occurred_at = fresh.quarter and r.dimensions = fresh.dimensions
      and (r.latest_at is null or (r.latest_at, r.latest_hash) < (fresh.occurred_at, fresh.hash));
  end if;

  if cardinality(array_remove(measure_uniques, null)) > 0 then
    insert into meter_uniques (tenant_id, meter_id, meter_version, occurred_at, dimensions, value_hash)
    select distinct tenant_id, meter_id, meter_version, date_bin('15 minutes', occurred_at, 'epoch'), dimensions::text[],
      value_hash
    from unnest(measure_events, measure_tenants, measure_meters, measure_versions, measure_times, measure_dimensions,
      measure_uniques) as input (event, tenant_id, meter_id, meter_version, occurred_at, dimensions, value_hash)
    where is_new[event] and value_hash is not null
    order by 1, 2, 3, 4, 5, 6
    on conflict do nothing;
  end if;

  return known;
end
$$;
