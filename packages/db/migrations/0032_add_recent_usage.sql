-- Usage that is in the ledger and not yet in the rollups of minutes and hours. Who records usage adds rows and changes none: what a
-- key does in a minute comes in many commits, and to change its minute and its hour in each of them was most of what a commit
-- cost. A job adds what has gathered here to the rollups.
create table recent_usage (
  tenant_id text not null,
  part_id bigint generated always as identity,
  -- Minute of the calls.
  occurred_at timestamptz not null,
  meter_id text not null,
  environment text not null,
  outcome text not null,
  status smallint not null,
  method text not null,
  route text not null,
  -- Of so many keys one row, or the row itself would cost more than what is in it: at each place a key, and what it did.
  key_ids text[] not null,
  calls bigint[] not null,
  quantities numeric[] not null,
  -- Empty where it is 0 of all keys.
  bytes_in bigint[] not null,
  bytes_out bigint[] not null,
  -- Of each key the literal of an array, as arrays of arrays would have to be of one length.
  latency_buckets text[] not null,
  latency_counts text[] not null,
  -- True when the minutes have it, summed by minute: the hours take it later, and then it goes.
  in_minutes boolean not null default false,
  primary key (tenant_id, part_id),
  check (
    cardinality(key_ids) = cardinality(calls) and cardinality(key_ids) = cardinality(quantities)
    and cardinality(bytes_in) in (0, cardinality(key_ids)) and cardinality(bytes_out) in (0, cardinality(key_ids))
    and cardinality(latency_buckets) in (0, cardinality(key_ids))
    and cardinality(latency_counts) = cardinality(latency_buckets)
  )
) with (
  -- A row of many keys stays whole in its page: it is read as a whole, and gone in minutes.
  toast_tuple_target = 8160,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000
);
create index recent_usage_for_minutes on recent_usage (tenant_id, part_id) where not in_minutes;

alter table recent_usage enable row level security;
alter table recent_usage force row level security;
create policy tenant_rows on recent_usage for select to turnpike_tenant using (tenant_id = current_tenant());
create policy meter_rows on recent_usage to turnpike_meter using (true) with check (true);
create policy operator_rows on recent_usage for select to turnpike_operator using (true);
grant select, insert, delete on recent_usage to turnpike_meter;
grant select on recent_usage to turnpike_tenant, turnpike_operator;

-- One row for each key of recent usage.
create view recent_usage_of_keys with (security_invoker = true) as
select p.tenant_id, p.in_minutes, p.occurred_at, p.meter_id, p.environment, k.key_id, p.outcome,
  p.status, p.method, p.route, k.calls, k.quantity, coalesce(k.bytes_in, 0) as bytes_in, coalesce(k.bytes_out, 0) as bytes_out,
  coalesce(k.latency_buckets, '{}')::smallint[] as latency_buckets, coalesce(k.latency_counts, '{}')::bigint[] as latency_counts
from recent_usage p cross join lateral
  unnest(p.key_ids, p.calls, p.quantities, p.bytes_in, p.bytes_out, p.latency_buckets, p.latency_counts)
    as k (key_id, calls, quantity, bytes_in, bytes_out, latency_buckets, latency_counts);

-- Rollups of minutes are only added to. A key has a row for each time that they were rolled up while there were calls of its
-- minute, mostly one.
alter table usage_rollups
  drop constraint usage_rollups_pkey,
  -- Null where the row is of several keys, of whose calls nothing was measured: calls and quantity are then the sums of theirs.
  alter column key_id drop not null,
  -- At each place a key, its calls and its quantity. Null where the row is of one key.
  add column key_ids text[],
  add column key_calls bigint[],
  add column key_quantities numeric[],
  -- Of new rows; those from before are of one key.
  add constraint usage_rollups_keys check (
    case
      when key_id is null then cardinality(key_ids) > 1 and cardinality(key_ids) = cardinality(key_calls)
        and cardinality(key_ids) = cardinality(key_quantities)
      else num_nonnulls(key_ids, key_calls, key_quantities) = 0
    end is true
  ) not valid,
  -- In the row, compressed: elsewhere they would be rows and places in an index of their own.
  alter column key_ids set storage main,
  alter column key_calls set storage main,
  alter column key_quantities set storage main;
drop function merge_latencies(smallint[], bigint[], smallint[], bigint[]);
create index usage_rollups_by_key on usage_rollups (tenant_id, occurred_at, key_id);
revoke update on usage_rollups from turnpike_meter;

-- Pages of rows that are never changed need no room for it.
do $$
declare
  part regclass;
begin
  for part in select inhrelid::regclass from pg_inherits where inhparent = 'usage_rollups'::regclass loop
    execute format('alter table %s reset (fillfactor)', part);
  end loop;
end
$$;

-- Makes the partitions of this month and the coming ones. Commits go on meanwhile: what is new is filled and checked by itself,
-- then attached under a lock that no commit needs. What cannot be had at once is left to the next run.
--
-- Rows that came while there was no partition of their month are taken into it, unless there are more than `rows_max`: then
-- they stay where they are, and are counted in `stranded`.
create or replace function make_usage_partitions(months_ahead int, rows_max int, out made int, out stranded bigint)
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
  set lock_timeout = '250ms'
  set timezone = 'UTC'
as $$
declare
  usage record;
  month timestamptz;
  part text;
  waiting bigint;
begin
  made := 0;
  stranded := 0;
  if months_ahead not between 0 and 24 then
    raise exception 'Months ahead are 0 to 24, not %.', months_ahead using errcode = 'invalid_parameter_value';
  end if;
  -- One at a time: the others find that it is done.
  if not pg_try_advisory_xact_lock(7163023) then
    return;
  end if;
  for usage in select * from usage_tables() loop
    for month in
      select generate_series(date_trunc('month', now()), date_trunc('month', now()) + months_ahead * interval '1 month',
        interval '1 month')
    loop
      part := usage.table_name || to_char(month, '"_"YYYYMM');
      continue when to_regclass('public.' || part) is not null or exists (
        select from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = ('public.' || usage.table_name)::regclass and c.relname ~ '_until_\d{6}$'
          and to_char(month, 'YYYYMM') < right(c.relname, 6));
      begin
        execute format('select count(*) from (select from public.%I where %I >= %L and %I < %L limit %s) rows',
          usage.table_name || '_default', usage.time_column, month, usage.time_column, month + interval '1 month',
          rows_max + 1) into waiting;
        if waiting > rows_max then
          stranded := stranded + waiting;
          continue;
        end if;
        execute format('create table public.%I (like public.%I including all)', part, usage.table_name);
        if usage.class = 'hours' then
          -- Rows of the running hour are changed again and again, in their page.
          execute format('alter table public.%I set (fillfactor = 70)', part);
        end if;
        if waiting > 0 then
          execute format('lock table public.%I in access exclusive mode', usage.table_name || '_default');
          execute format('with late as (delete from public.%I where %I >= %L and %I < %L returning *)
            insert into public.%I select * from late', usage.table_name || '_default', usage.time_column, month,
            usage.time_column, month + interval '1 month', part);
        end if;
        execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)', usage.table_name,
          part, month, month + interval '1 month');
        made := made + 1;
      exception
        -- Somebody reads what would have to be locked; a commit came between; the clock is where a partition was already.
        when lock_not_available or check_violation or invalid_object_definition or duplicate_table or deadlock_detected then null;
      end;
    end loop;
  end loop;
end
$$;

-- What is to be read for minutes and hours: sums of the ledger that are whole at every instant. A key may have several rows of
-- one minute or hour. All parts of a view have the same types, or it would be put together before anything is asked of it.
create view usage_by_minute with (security_invoker = true) as
select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity, bytes_in,
  bytes_out, latency_buckets, latency_counts
from usage_rollups where key_id is not null
union all
select r.tenant_id, r.occurred_at, r.meter_id, r.environment, k.key_id, r.outcome, r.status, r.method, r.route, k.calls,
  k.quantity, 0::bigint, 0::bigint, '{}'::smallint[], '{}'::bigint[]
from usage_rollups r cross join lateral unnest(r.key_ids, r.key_calls, r.key_quantities) as k (key_id, calls, quantity)
where r.key_id is null
union all
select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity, bytes_in,
  bytes_out, latency_buckets, latency_counts
from recent_usage_of_keys where not in_minutes;

create view usage_by_hour with (security_invoker = true) as
select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity, bytes_in,
  bytes_out, latencies
from usage_rollups_hourly
union all
select tenant_id, date_trunc('hour', occurred_at, 'UTC'), meter_id, environment, key_id, outcome, status, method, route, calls,
  quantity, bytes_in, bytes_out,
  case when latency_buckets = '{}' then 0 else pack_latencies(latency_buckets, latency_counts) end
from recent_usage_of_keys;

grant select on recent_usage_of_keys, usage_by_minute, usage_by_hour to turnpike_tenant, turnpike_meter, turnpike_operator;

-- Records a batch of events: identities, events, ledger, recent usage and balances, whole or not at all. Every writer takes
-- identities in their order, then what the other writers of the ledger take in their order, then the rollups of meters: no
-- deadlock. Arrays that begin alike have one item for each event, those of measures one for each event and meter.
--
-- Returns the places (from 1) of events that were there before, of which nothing is written; null when the meters are not
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
begin
  if (select coalesce(sum(version), 0) from meters where event_type is not null) <> meters_revision then
    return null;
  end if;

  with fresh as (
    insert into event_ids (event_hash)
    select hash from unnest(event_hashes) as input (hash) order by hash
    on conflict do nothing
    returning event_hash
  )
  select array_agg(is_fresh order by place), coalesce(array_agg(place::int order by place) filter (where not is_fresh), '{}')
  into is_new, known
  from (
    -- No join: how many items an array has is not known when a plan is made, and a loop over both sides would be slow.
    select hash in (select event_hash from fresh) as is_fresh, place
    from unnest(event_hashes) with ordinality as input (hash, place)
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
    select tenant_id, batch, occurred_at, now(), period_start, meter_id, 'live', key_id, 'VALID', 200, calls, quantity
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
