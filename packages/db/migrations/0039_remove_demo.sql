-- A demo can be removed. Its calls were never made, so its usage may leave the ledger, from which nothing else is ever removed:
-- no role may delete there, and this function lets go of deleted demo tenants only. It runs as the owner of the tables, to whom
-- the policies show the rows of these tenants and no others.
create policy removed_demo on tenants for select to current_user
  using (deleted_at is not null and external_id like 'turnpike-demo:%');

do $$
declare
  table_name text;
begin
  foreach table_name in array array['ledger_entries', 'recent_usage', 'usage_rollups', 'usage_rollups_hourly', 'meter_rollups',
    'meter_uniques', 'usage_events', 'rejected_events', 'locks', 'leases', 'key_balances', 'balances', 'limited_keys'] loop
    execute format('create policy removed_demo on %I to current_user using (
      tenant_id in (select t.tenant_id from tenants t where t.deleted_at is not null and t.external_id like ''turnpike-demo:%%''))',
      table_name);
  end loop;
end
$$;

create function remove_demo_usage(demo text, out entries bigint, out calls bigint)
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
  delete from public.usage_rollups_hourly u where u.tenant_id = demo;
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
revoke execute on function remove_demo_usage from public;
grant execute on function remove_demo_usage to turnpike_operator;

grant delete on users, meters, meter_versions to turnpike_operator;
