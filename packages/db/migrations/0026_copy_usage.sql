-- What another engine has of the usage by the hour, so that questions over all tenants are answered there. An hour is copied whole,
-- and copied anew after it changed, so a copy can be repeated, cut off and thrown away at any time.

-- Hours that are in usage_rollups_hourly, and how often each was changed. A transaction that changes an hour says so here.
create table changed_hours (
  occurred_at timestamptz primary key,
  changes bigint not null default 1,
  -- As of which change it was copied, and the number of that copy; null: not at all.
  copied_changes bigint,
  copy bigint,
  constraint changed_hours_copied check (num_nulls(copied_changes, copy) <> 1)
);
create index changed_hours_to_copy on changed_hours (occurred_at) where copied_changes is distinct from changes;

-- The one place that is copied to. `feed_id` is part of the name of the table there: a new one begins from nothing.
create table usage_feed (
  is_only boolean primary key default true check (is_only),
  feed_id text not null,
  -- Copies are numbered; the last number that was taken.
  last_copy bigint not null default 0
);

-- Copies that are there, or may be: a number is written down before anything is copied under it.
create table usage_copies (
  copy bigint primary key,
  occurred_at timestamptz not null,
  -- False until it is whole, and again once there is a newer one.
  is_current boolean not null default false,
  -- When it was begun or replaced: questions that began before may still read what it was.
  changed_at timestamptz not null default now()
);
create index usage_copies_past on usage_copies (changed_at) where not is_current;

grant select on changed_hours, usage_feed, usage_copies to turnpike_operator;
grant insert, update, delete on changed_hours, usage_feed, usage_copies to turnpike_operator;
grant select, insert, update on changed_hours to turnpike_meter;

-- Usage by the hour that is not added to its hour yet: what is missing in copies.
create view usage_of_recent_hours with (security_invoker = true) as
select tenant_id, date_trunc('hour', occurred_at, 'UTC') as occurred_at, meter_id, environment, key_id, outcome, status, method,
  route, calls, quantity, bytes_in, bytes_out,
  case when latency_buckets = '{}' then 0 else pack_latencies(latency_buckets, latency_counts) end as latencies,
  occurred_at as minute
from recent_usage_of_keys;
grant select on usage_of_recent_hours to turnpike_operator;

-- As in 0017, and says which hours it changed.
create or replace function remove_demo_usage(demo text, out entries bigint, out calls bigint)
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  perform from public.tenants t
  where t.tenant_id = demo and t.deleted_at is not null and t.external_id like 'turnpike-demo:%';
  if not found then
    raise exception '% is not a deleted demo tenant.', demo using errcode = 'insufficient_privilege';
  end if;
  with removed as (
    delete from public.ledger_entries e where e.tenant_id = demo returning coalesce(cardinality(e.key_ids), 1) as entries, e.calls
  )
  select coalesce(sum(r.entries), 0), coalesce(sum(r.calls), 0) into entries, calls from removed r;
  delete from public.recent_usage u where u.tenant_id = demo;
  delete from public.usage_rollups u where u.tenant_id = demo;
  with removed as (
    delete from public.usage_rollups_hourly u where u.tenant_id = demo returning u.occurred_at
  )
  insert into public.changed_hours as h (occurred_at)
  select distinct r.occurred_at from removed r order by 1
  on conflict (occurred_at) do update set changes = h.changes + 1;
  delete from public.meter_rollups u where u.tenant_id = demo;
  delete from public.meter_uniques u where u.tenant_id = demo;
  delete from public.usage_events u where u.tenant_id = demo;
  delete from public.rejected_events u where u.tenant_id = demo;
  delete from public.locks u where u.tenant_id = demo;
  delete from public.leases u where u.tenant_id = demo;
  delete from public.key_balances u where u.tenant_id = demo;
  delete from public.balances u where u.tenant_id = demo;
  delete from public.limited_keys u where u.tenant_id = demo;
end
$$;
