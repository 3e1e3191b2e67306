-- What charts read: sums of the ledger by minute, by method and route as well, with what the ledger does not keep. Rows are only
-- added: a key has a row for each time that they were rolled up while there were calls of its minute, mostly one.
create table usage_rollups (
  tenant_id text not null,
  occurred_at timestamptz not null,
  meter_id text not null,
  environment text not null,
  -- Null where the row is of several keys, of whose calls nothing was measured: calls and quantity are then the sums of theirs.
  key_id text,
  outcome text not null,
  status smallint not null,
  calls bigint not null,
  quantity numeric not null,
  -- One of the methods of the domain package; '' when unknown: a verification.
  method text not null default '' check (char_length(method) <= 16),
  -- Template of the path such as /users/{id}; '' when unknown.
  route text not null default '' check (char_length(route) <= 200),
  -- Bytes of bodies that clients sent and got; after an upgrade everything on the connection.
  bytes_in bigint not null default 0 check (bytes_in >= 0),
  bytes_out bigint not null default 0 check (bytes_out >= 0),
  -- Histogram of latencies: buckets of latency-histogram.ts, ascending, and how many calls fell into each. Empty when unknown.
  latency_buckets smallint[] not null default '{}',
  latency_counts bigint[] not null default '{}',
  -- At each place a key, its calls and its quantity. Null where the row is of one key.
  key_ids text[],
  key_calls bigint[],
  key_quantities numeric[],
  -- Keys of a row of several lie between these, by their bytes: rows are made in the order of keys, so one row of a minute is read
  -- for a key, and the others are not taken apart.
  first_key text collate "C",
  last_key text collate "C",
  constraint usage_rollups_latency_pairs check (cardinality(latency_buckets) = cardinality(latency_counts)),
  constraint usage_rollups_keys check (
    case
      when key_id is null then cardinality(key_ids) > 1 and cardinality(key_ids) = cardinality(key_calls)
        and cardinality(key_ids) = cardinality(key_quantities)
      else num_nonnulls(key_ids, key_calls, key_quantities) = 0
    end is true
  ),
  constraint usage_rollups_range check (
    case when key_id is null then num_nulls(first_key, last_key) = 0 else num_nonnulls(first_key, last_key) = 0 end
  )
) partition by range (occurred_at);
create table usage_rollups_default partition of usage_rollups default;
-- In the row, compressed: elsewhere they would be rows and places in an index of their own.
alter table usage_rollups
  alter column key_ids set storage main,
  alter column key_calls set storage main,
  alter column key_quantities set storage main;
alter table usage_rollups enable row level security;
alter table usage_rollups force row level security;
create policy tenant_rows on usage_rollups for select to turnpike_tenant using (tenant_id = current_tenant());
create policy meter_rows on usage_rollups to turnpike_meter using (true) with check (true);
create policy operator_rows on usage_rollups for select to turnpike_operator using (true);

-- An operator's charts read a range of time over all tenants. Rows arrive in the order of time, so a summary of each stretch
-- of the table is enough, and costs writers next to nothing.
create index usage_rollups_by_time on usage_rollups using brin (occurred_at)
  with (pages_per_range = 32, autosummarize = on);
create index usage_rollups_by_key on usage_rollups (tenant_id, occurred_at, key_id);
create index usage_rollups_by_range on usage_rollups (tenant_id, occurred_at, first_key, last_key) where key_id is null;

grant select on usage_rollups to turnpike_tenant, turnpike_operator;
grant select, insert on usage_rollups to turnpike_meter;

-- The same sums by hour, counted in UTC: what charts of days and months read.
create table usage_rollups_hourly (
  tenant_id text not null,
  occurred_at timestamptz not null,
  meter_id text not null,
  environment text not null,
  key_id text not null,
  outcome text not null,
  status smallint not null,
  calls bigint not null,
  quantity numeric not null,
  -- As of usage_rollups.
  method text not null default '' check (char_length(method) <= 16),
  route text not null default '' check (char_length(route) <= 200),
  bytes_in bigint not null default 0 check (bytes_in >= 0),
  bytes_out bigint not null default 0 check (bytes_out >= 0),
  -- Histogram of latencies, packed into one number: see pack_latencies. 0 when unknown.
  latencies numeric not null default 0 constraint usage_rollups_hourly_latencies check (latencies >= 0),
  primary key (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route)
) partition by range (occurred_at);
-- Rows of the running hour are changed again and again, in their page.
create table usage_rollups_hourly_default partition of usage_rollups_hourly default with (fillfactor = 70);
create index usage_rollups_hourly_by_time on usage_rollups_hourly using brin (occurred_at)
  with (pages_per_range = 32, autosummarize = on);
alter table usage_rollups_hourly enable row level security;
alter table usage_rollups_hourly force row level security;
create policy tenant_rows on usage_rollups_hourly for select to turnpike_tenant using (tenant_id = current_tenant());
create policy meter_rows on usage_rollups_hourly to turnpike_meter using (true) with check (true);
create policy operator_rows on usage_rollups_hourly for select to turnpike_operator using (true);
grant select on usage_rollups_hourly to turnpike_tenant, turnpike_operator;
grant select, insert, update on usage_rollups_hourly to turnpike_meter;

-- When a key was last used, without reading everything its tenant did since.
create index usage_rollups_hourly_by_key on usage_rollups_hourly (tenant_id, key_id, occurred_at);

-- Parts of access logs that were imported, kept for ever: what makes importing a log twice the same as once. The parts of a log
-- are a chain: each is named by a digest of everything up to its start and up to its end.
create table imported_history (
  start_digest text not null,
  end_digest text not null,
  -- Digest of the rules by which the lines were given to tenants.
  scope text not null,
  -- All tenants that these rules name.
  tenant_ids text[] not null,
  lines integer not null check (lines > 0),
  -- Characters of a last line without an end, which may be longer the next time; null for whole lines.
  open_length integer check (open_length > 0),
  -- CRC-32 of each line, 4 bytes big-endian: a shorter copy of the log ends in the middle of a part.
  line_checksums bytea not null check (octet_length(line_checksums) = 4 * lines),
  calls integer not null check (calls >= 0),
  imported_at timestamptz not null default now(),
  primary key (start_digest, end_digest, scope)
);
-- Their beginnings are compared, without the rest being read.
alter table imported_history
  alter column line_checksums set storage external;
alter table imported_history enable row level security;
alter table imported_history force row level security;
create policy meter_rows on imported_history to turnpike_meter using (true) with check (true);
create policy operator_rows on imported_history for select to turnpike_operator using (true);
grant select on imported_history to turnpike_operator;
grant select, insert, update on imported_history to turnpike_meter;

-- Exports of usage. Their content is in parts, each a file of the file store: what is committed here is not written again.
create table exports (
  tenant_id text not null references tenants on delete cascade,
  export_id text not null,
  name text not null,
  format text not null check (format in ('csv', 'json')),
  state text not null check (state in ('waiting', 'running', 'done', 'failed', 'cancelled', 'expired')),
  -- Parameters as they were asked, by name.
  question jsonb not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  parts_done int not null default 0,
  parts_total int not null check (parts_total > 0),
  rows_written bigint not null default 0,
  bytes_written bigint not null default 0,
  -- Counts attempts: one that was given up and goes on all the same commits nothing.
  attempt int not null default 0,
  failure text,
  created_at timestamptz not null,
  created_by text not null,
  finished_at timestamptz,
  expires_at timestamptz,
  primary key (tenant_id, export_id)
);

-- Housekeeping looks for what is over.
create index exports_done on exports (expires_at) where state = 'done';
create index exports_finished on exports (finished_at);

create trigger tenant_exists before insert on exports for each row execute function assert_tenant_exists();
grant select on exports to turnpike_tenant;
grant select, insert, update, delete on exports to turnpike_operator;

create table export_parts (
  tenant_id text not null,
  export_id text not null,
  part int not null,
  file_id text not null,
  bytes bigint not null check (bytes >= 0),
  primary key (tenant_id, export_id, part),
  foreign key (tenant_id, export_id) references exports on delete cascade
);

-- The sweep of the file store asks which files are known.
create index export_parts_by_file on export_parts (file_id);
grant select on export_parts to turnpike_tenant;
grant select, insert, update, delete on export_parts to turnpike_operator;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['exports', 'export_parts'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I for select to turnpike_tenant using (tenant_id = current_tenant())', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
  end loop;
end
$$;

-- The histogram of an hour is one number with 12 decimal digits for each bucket, the calls of bucket 0 being the last
-- ones: histograms are then merged by adding these numbers, which takes a tenth of the time, in charts as in commits.
-- Minutes keep their arrays: of a few calls they are the shorter form.

-- The number of a histogram; 0 without calls.
create function pack_latencies(buckets smallint[], counts bigint[]) returns numeric
  language sql immutable parallel safe
  set search_path = pg_catalog, pg_temp
as $$
  select coalesce(sum((calls::text || 'e' || 12 * bucket)::numeric), 0)
  from unnest(buckets, counts) as latency (bucket, calls)
$$;

-- Parts are taken out of bytes and not of a text: a text is walked over from its start, and the time would grow with the square of
-- its digits.
create function unpack_latencies(packed numeric, out buckets smallint[], out counts bigint[])
  language sql immutable parallel safe
  set search_path = pg_catalog, pg_temp
as $$
  with given as materialized (
    select packed::text as digits
  ), padded as materialized (
    select convert_to(lpad(digits, 12 * ((length(digits) + 11) / 12), '0'), 'UTF8') as bytes from given
  )
  select coalesce(array_agg(bucket::smallint order by bucket), '{}'),
    coalesce(array_agg(convert_from(counted, 'UTF8')::bigint order by bucket), '{}')
  from (
    select bucket, substr(bytes, length(bytes) - 12 * bucket - 11, 12) as counted
    from padded, generate_series(0, length(bytes) / 12 - 1) as bucket
  ) latency
  where counted <> '000000000000'::bytea
$$;

-- What a deleted tenant had stays until it can no longer be restored. To its people it does not exist, as the tenant itself does
-- not: one rule in place of a condition in each query. It is asked once for a statement, not once for a row.
do $$
declare
  table_name text;
begin
  foreach table_name in array array['exports', 'export_parts'] loop
    execute format('create policy open_tenants on %I as restrictive for select to turnpike_tenant
      using (exists (select from tenants t where t.tenant_id = current_tenant()))', table_name);
  end loop;
end
$$;

-- What is to be read for minutes and hours: sums of the ledger that are whole at every instant. A key may have several rows of
-- one minute or hour. All parts of a view have the same types, or it would be put together before anything is asked of it.
create view usage_by_minute with (security_invoker = true) as
select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity, bytes_in,
  bytes_out, latency_buckets, latency_counts,
  -- What rows are sought by: when it was, and which keys may be in them.
  occurred_at as minute, key_id collate "C" as first_key, key_id collate "C" as last_key
from usage_rollups where key_id is not null
union all
select r.tenant_id, r.occurred_at, r.meter_id, r.environment, k.key_id, r.outcome, r.status, r.method, r.route, k.calls,
  k.quantity, 0::bigint, 0::bigint, '{}'::smallint[], '{}'::bigint[], r.occurred_at, r.first_key, r.last_key
from usage_rollups r cross join lateral unnest(r.key_ids, r.key_calls, r.key_quantities) as k (key_id, calls, quantity)
where r.key_id is null
union all
select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity, bytes_in,
  bytes_out, latency_buckets, latency_counts, occurred_at, key_id collate "C", key_id collate "C"
from recent_usage_of_keys where not in_minutes;
grant select on usage_by_minute to turnpike_tenant, turnpike_operator, turnpike_meter;

create view usage_by_hour with (security_invoker = true) as
select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity, bytes_in,
  bytes_out, latencies, occurred_at as minute
from usage_rollups_hourly
union all
select tenant_id, date_trunc('hour', occurred_at, 'UTC'), meter_id, environment, key_id, outcome, status, method, route, calls,
  quantity, bytes_in, bytes_out,
  case when latency_buckets = '{}' then 0 else pack_latencies(latency_buckets, latency_counts) end, occurred_at
from recent_usage_of_keys;
grant select on usage_by_hour to turnpike_tenant, turnpike_operator, turnpike_meter;
