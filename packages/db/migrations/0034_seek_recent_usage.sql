-- What is looked for in recent usage and in rows of several keys is found without reading all of them.

-- Hours are rolled up a bounded number of rows at a time, in this order: without it each time all that wait would be sorted.
create index recent_usage_for_hours on recent_usage (tenant_id, (key_ids[1]) collate "C", part_id) where in_minutes;
-- A question about the past passes what is recent by, also while much of it is dead and kept for somebody's snapshot.
create index recent_usage_by_time on recent_usage (occurred_at, tenant_id);
-- Up to which number rows are rolled up, without looking for the last of them.
grant select on sequence recent_usage_part_id_seq to turnpike_meter;

-- Keys of a row of several lie between these, by their bytes: rows are made in the order of keys, so one row of a minute is read
-- for a key, and the others are not taken apart.
alter table usage_rollups add column first_key text collate "C", add column last_key text collate "C";
-- The owner of the tables, who need not be a superuser, sees none of their rows.
grant update (first_key, last_key) on usage_rollups to turnpike_meter;
set local role turnpike_meter;
update usage_rollups r set (first_key, last_key) = (
  select min(key_id collate "C"), max(key_id collate "C") from unnest(r.key_ids) as key_id
)
where key_id is null;
reset role;
revoke update (first_key, last_key) on usage_rollups from turnpike_meter;
alter table usage_rollups add constraint usage_rollups_range check (
  case when key_id is null then num_nulls(first_key, last_key) = 0 else num_nonnulls(first_key, last_key) = 0 end
) not valid;
create index usage_rollups_by_range on usage_rollups (tenant_id, occurred_at, first_key, last_key) where key_id is null;

create or replace view usage_by_minute with (security_invoker = true) as
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

create or replace view usage_by_hour with (security_invoker = true) as
select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity, bytes_in,
  bytes_out, latencies, occurred_at as minute
from usage_rollups_hourly
union all
select tenant_id, date_trunc('hour', occurred_at, 'UTC'), meter_id, environment, key_id, outcome, status, method, route, calls,
  quantity, bytes_in, bytes_out,
  case when latency_buckets = '{}' then 0 else pack_latencies(latency_buckets, latency_counts) end, occurred_at
from recent_usage_of_keys;
