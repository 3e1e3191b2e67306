-- Balances of keys are written by commits only where a limit is cut from them. To all others, which may be a million, what was
-- used is owed by recent usage, and added when hours are rolled up: to change each of them in every commit was a third of what a
-- commit of many keys cost the database.

-- Lines of keys, by their first key, that have a quota of their own or had one: commits write their balances, and nothing new is
-- owed to them.
create table limited_keys (
  tenant_id text not null,
  key_id text not null,
  primary key (tenant_id, key_id)
);
grant select, insert on limited_keys to turnpike_tenant, turnpike_operator, turnpike_meter;

-- The owner of the tables, who need not be a superuser, sees none of their rows.
set local role turnpike_operator;
insert into limited_keys
select tenant_id, origin_key_id from api_keys where quotas <> '[]'
union
select tenant_id, key_id from leases where key_id is not null;
reset role;

alter table limited_keys enable row level security;
alter table limited_keys force row level security;
create policy tenant_rows on limited_keys to turnpike_tenant using (tenant_id = current_tenant())
  with check (tenant_id = current_tenant());
create policy meter_rows on limited_keys to turnpike_meter using (true) with check (true);
create policy operator_rows on limited_keys to turnpike_operator using (true) with check (true);

-- A key that is made with a quota was never used: nothing can be owed to it. Others are asked for when a quota is first cut.
create function limit_new_key() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  insert into public.limited_keys (tenant_id, key_id) values (new.tenant_id, new.key_id) on conflict do nothing;
  return null;
end
$$;
create trigger limit_new_key after insert on api_keys
  for each row when (new.quotas <> '[]' and new.origin_key_id = new.key_id) execute function limit_new_key();

alter table recent_usage
  -- The billing period to whose balances of keys it is owed, each key being the first of its line; not to those of limited keys,
  -- which have it already. Null: nothing is owed.
  add column period_start timestamptz,
  add column period_end timestamptz,
  add constraint recent_usage_period check (num_nulls(period_start, period_end) in (0, 2));

-- What lines of keys have used, with what is owed to their balances.
create view usage_of_keys with (security_invoker = true) as
select tenant_id, key_id, meter_id, period_start, max(period_end) as period_end, sum(used) as used
from (
  select tenant_id, key_id, meter_id, period_start, period_end, used from key_balances
  union all
  select u.tenant_id, k.key_id, u.meter_id, u.period_start, u.period_end, k.quantity
  from recent_usage u cross join lateral unnest(u.key_ids, u.quantities) as k (key_id, quantity)
  where u.period_start is not null and k.quantity > 0
    and not exists (select from limited_keys l where l.tenant_id = u.tenant_id and l.key_id = k.key_id)
) parts
group by 1, 2, 3, 4;
grant select on usage_of_keys to turnpike_tenant, turnpike_meter, turnpike_operator;

-- An advisory lock until the end of the transaction, or an error for whoever would wait longer: others queue behind who waits.
create function lock_within_a_second(lock_id bigint) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '1s'
as $$
begin
  perform pg_advisory_xact_lock(lock_id);
end
$$;
