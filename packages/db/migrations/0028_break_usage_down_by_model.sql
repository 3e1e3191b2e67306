-- The model that answered, where an upstream answers with tokens; '' for every other call. A name as model-registry.ts lets through.
alter table recent_usage add column model text not null default '' check (char_length(model) <= 100);
alter table usage_rollups add column model text not null default '' check (char_length(model) <= 100);
alter table usage_rollups_hourly add column model text not null default '' check (char_length(model) <= 100);

-- An hour has a row for each model. The index is made anew while this starts, once.
alter table usage_rollups_hourly
  drop constraint usage_rollups_hourly_pkey,
  add constraint usage_rollups_hourly_pkey
    primary key (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, model);

create or replace view recent_usage_of_keys with (security_invoker = true) as
select p.tenant_id, p.in_minutes, p.occurred_at, p.meter_id, p.environment, k.key_id, p.outcome,
  p.status, p.method, p.route, k.calls, k.quantity, coalesce(k.bytes_in, 0) as bytes_in, coalesce(k.bytes_out, 0) as bytes_out,
  coalesce(k.latency_buckets, '{}')::smallint[] as latency_buckets, coalesce(k.latency_counts, '{}')::bigint[] as latency_counts,
  p.model
from recent_usage p cross join lateral
  unnest(p.key_ids, p.calls, p.quantities, p.bytes_in, p.bytes_out, p.latency_buckets, p.latency_counts)
    as k (key_id, calls, quantity, bytes_in, bytes_out, latency_buckets, latency_counts);

create or replace view usage_by_minute with (security_invoker = true) as
select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity, bytes_in,
  bytes_out, latency_buckets, latency_counts,
  occurred_at as minute, key_id collate "C" as first_key, key_id collate "C" as last_key, model
from usage_rollups where key_id is not null
union all
select r.tenant_id, r.occurred_at, r.meter_id, r.environment, k.key_id, r.outcome, r.status, r.method, r.route, k.calls,
  k.quantity, 0::bigint, 0::bigint, '{}'::smallint[], '{}'::bigint[], r.occurred_at, r.first_key, r.last_key, r.model
from usage_rollups r cross join lateral unnest(r.key_ids, r.key_calls, r.key_quantities) as k (key_id, calls, quantity)
where r.key_id is null
union all
select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity, bytes_in,
  bytes_out, latency_buckets, latency_counts, occurred_at, key_id collate "C", key_id collate "C", model
from recent_usage_of_keys where not in_minutes;

create or replace view usage_by_hour with (security_invoker = true) as
select tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route, calls, quantity, bytes_in,
  bytes_out, latencies, occurred_at as minute, model
from usage_rollups_hourly
union all
select tenant_id, date_trunc('hour', occurred_at, 'UTC'), meter_id, environment, key_id, outcome, status, method, route, calls,
  quantity, bytes_in, bytes_out,
  case when latency_buckets = '{}' then 0 else pack_latencies(latency_buckets, latency_counts) end, occurred_at, model
from recent_usage_of_keys;

create or replace view usage_of_recent_hours with (security_invoker = true) as
select tenant_id, date_trunc('hour', occurred_at, 'UTC') as occurred_at, meter_id, environment, key_id, outcome, status, method,
  route, calls, quantity, bytes_in, bytes_out,
  case when latency_buckets = '{}' then 0 else pack_latencies(latency_buckets, latency_counts) end as latencies,
  occurred_at as minute, model
from recent_usage_of_keys;
