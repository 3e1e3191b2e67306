alter table api_keys
  -- Limits of the key below those of its tenant. RateLimit[] and { meter, limit }[] of the domain package.
  add column rate_limits jsonb not null default '[]',
  add column quotas jsonb not null default '[]',
  -- The first key of a line of rolled ones: all of a line draw on one rate limit and one quota.
  add column origin_key_id text;

-- What the keys of a line have used of a meter in a billing period; what the quotas of keys are cut from.
create table key_balances (
  tenant_id text not null,
  -- The first key of its line.
  key_id text not null,
  meter_id text not null,
  period_start timestamptz not null,
  period_end timestamptz not null,
  used numeric not null check (used >= 0),
  primary key (tenant_id, key_id, meter_id, period_start)
);
grant insert on key_balances to turnpike_operator;

-- The owner of the tables, who need not be a superuser, sees none of their rows.
set local role turnpike_operator;
with recursive line as (
  select k.tenant_id, k.key_id, k.rolled_to, k.key_id as origin
  from api_keys k
  where not exists (
    select from api_keys before where before.tenant_id = k.tenant_id and before.rolled_to = k.key_id
  )
  union all
  select k.tenant_id, k.key_id, k.rolled_to, line.origin
  from line join api_keys k on k.tenant_id = line.tenant_id and k.key_id = line.rolled_to
)
update api_keys k set origin_key_id = line.origin
from line where k.tenant_id = line.tenant_id and k.key_id = line.key_id;

insert into key_balances (tenant_id, key_id, meter_id, period_start, period_end, used)
select e.tenant_id, coalesce(k.origin_key_id, e.key_id), e.meter_id, e.period_start, max(b.period_end), sum(e.quantity)
from ledger_entries e
join balances b using (tenant_id, meter_id, environment, period_start)
left join api_keys k on k.tenant_id = e.tenant_id and k.key_id = e.key_id
where e.quantity > 0
group by 1, 2, 3, 4;
reset role;

alter table api_keys alter column origin_key_id set not null;

revoke insert on key_balances from turnpike_operator;
alter table key_balances enable row level security;
alter table key_balances force row level security;
create policy tenant_rows on key_balances for select to turnpike_tenant using (tenant_id = current_tenant());
create policy meter_rows on key_balances to turnpike_meter using (true) with check (true);
create policy operator_rows on key_balances for select to turnpike_operator using (true);
grant select, insert, update on key_balances to turnpike_meter;
grant select on key_balances to turnpike_tenant, turnpike_operator;

-- Null: a slice of the tenant's own balance. Otherwise of the balance of this line of keys.
alter table leases add column key_id text;
drop index leases_by_balance;
create index leases_by_balance on leases (tenant_id, meter_id, environment, period_start, key_id);
