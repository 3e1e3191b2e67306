-- Identities of events: the first 128 bits of SHA-256 over tenant, source and id. Hash-partitioned, so that each index is
-- smaller; not by time, because an event that is sent again with another time is the same event.
create table event_ids (
  event_hash uuid primary key,
  recorded_at timestamptz not null default now()
) partition by hash (event_hash);
grant select, insert, delete on event_ids to turnpike_meter;

do $$
begin
  for part in 0..7 loop
    execute format('create table event_ids_%s partition of event_ids for values with (modulus 8, remainder %s)', part, part);
    -- Rows arrive in the order of time: enough to find those to forget.
    execute format('create index on event_ids_%s using brin (recorded_at) with (pages_per_range = 32, autosummarize = on)', part);
  end loop;
end
$$;

-- Events as they came, for a while: what a meter is tried on. A partition for each day (UTC) is dropped when it is old.
create table usage_events (
  tenant_id text not null,
  recorded_at timestamptz not null,
  occurred_at timestamptz not null,
  event_hash uuid not null,
  source text not null,
  event_id text not null,
  event_type text not null,
  -- The tenant's key that sent it; '' for the operator's programs.
  key_id text not null,
  -- JSON; null without data.
  data text
) partition by range (recorded_at);
create index usage_events_by_type on usage_events (event_type, recorded_at);
grant select on usage_events to turnpike_tenant, turnpike_operator;
grant select, insert, delete on usage_events to turnpike_meter;

-- When the day's partition was not made: an event is never refused for that.
create table usage_events_default partition of usage_events default;

-- Sums of events by quarter of an hour (every time zone is so many quarters away from UTC), meter, version and dimensions.
create table meter_rollups (
  tenant_id text not null,
  meter_id text not null,
  meter_version int not null,
  occurred_at timestamptz not null,
  dimensions text[] not null,
  events bigint not null check (events > 0),
  total numeric,
  smallest numeric,
  largest numeric,
  -- Of the event that occurred last, and of those at one instant the one with the larger hash.
  latest numeric,
  latest_at timestamptz,
  latest_hash uuid,
  primary key (tenant_id, meter_id, meter_version, occurred_at, dimensions)
) partition by range (occurred_at);
create table meter_rollups_default partition of meter_rollups default with (fillfactor = 70);
create index meter_rollups_by_meter on meter_rollups (meter_id, occurred_at);
grant select on meter_rollups to turnpike_tenant, turnpike_operator;
grant select, insert, update on meter_rollups to turnpike_meter;

-- What `unique_count` has seen: exact, at most one row for each event.
create table meter_uniques (
  tenant_id text not null,
  meter_id text not null,
  meter_version int not null,
  occurred_at timestamptz not null,
  dimensions text[] not null,
  value_hash uuid not null,
  primary key (tenant_id, meter_id, meter_version, occurred_at, dimensions, value_hash)
) partition by range (occurred_at);
create table meter_uniques_default partition of meter_uniques default with (fillfactor = 70);
grant select on meter_uniques to turnpike_tenant, turnpike_operator;
grant select, insert on meter_uniques to turnpike_meter;

-- Events that were refused, for a while and bounded.
create table rejected_events (
  -- '' when none is named or known.
  tenant_id text not null,
  rejection_id bigint generated always as identity,
  rejected_at timestamptz not null,
  code text not null,
  reason text not null,
  source text,
  event_id text,
  event_type text,
  subject text,
  -- Kind and id of who sent it.
  sent_by text not null,
  primary key (tenant_id, rejection_id)
);
create index rejected_events_by_id on rejected_events (rejection_id);
grant select on rejected_events to turnpike_tenant, turnpike_operator;
grant select, insert, delete on rejected_events to turnpike_meter;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['usage_events', 'meter_rollups', 'meter_uniques', 'rejected_events'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I for select to turnpike_tenant using (tenant_id = current_tenant())', table_name);
    execute format('create policy meter_rows on %I to turnpike_meter using (true) with check (true)', table_name);
    execute format('create policy operator_rows on %I for select to turnpike_operator using (true)', table_name);
  end loop;
end
$$;

-- Makes the partitions of the coming days and drops those that are older than is kept. Waits for no long transaction: the next
-- run does what this one could not.
create function keep_event_partitions(days_ahead int, days_kept int, out made int, out dropped int)
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
  set lock_timeout = '2s'
  set timezone = 'UTC'
as $$
declare
  day date;
  part text;
begin
  made := 0;
  dropped := 0;
  for day in select generate_series(current_date, current_date + days_ahead, interval '1 day')::date loop
    part := 'usage_events_' || to_char(day, 'YYYYMMDD');
    if to_regclass('public.' || part) is null then
      begin
        execute format('create table public.%I partition of public.usage_events for values from (%L) to (%L)',
          part, day::timestamptz, (day + 1)::timestamptz);
        made := made + 1;
      exception
        -- Another process was faster; a long transaction reads; the default partition has rows of that day already.
        when duplicate_table or lock_not_available or check_violation then null;
      end;
    end if;
  end loop;
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.usage_events'::regclass and c.relname ~ '^usage_events_\d{8}$'
      and to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - days_kept
  loop
    begin
      execute format('drop table public.%I', part);
      dropped := dropped + 1;
    exception
      when undefined_table or lock_not_available then null;
    end;
  end loop;
end
$$;
revoke execute on function keep_event_partitions(int, int) from public;
grant execute on function keep_event_partitions(int, int) to turnpike_meter;

select keep_event_partitions(7, 36500);

-- Records a batch of events: identities, events, ledger, recent usage and balances, whole or not at all. Every writer stamps
-- first, then takes identities in their order, then what the other writers of the ledger take in their order, then the rollups of meters: no
-- deadlock. Arrays that begin alike have one item for each event, those of measures one for each event and meter.
--
-- Returns the positions (from 1) of events that were there before, of which nothing is written; null when the meters are no longer
-- those of `meters_revision`, and nothing is written at all.
create function record_events(
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
