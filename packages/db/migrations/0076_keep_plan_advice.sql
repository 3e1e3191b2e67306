-- What was advised on the plan of a tenant in a month: its usage is tried on every plan once a month, and again when the plan changes.
create table kept_plan_advice (
  tenant_id text primary key references tenants on delete cascade,
  -- Its first day, by UTC.
  month date not null,
  plan_id text not null,
  plan_version int not null,
  made_at timestamptz not null,
  -- Null when nothing is worth telling.
  text text
);

alter table kept_plan_advice enable row level security;
alter table kept_plan_advice force row level security;
create policy tenant_rows on kept_plan_advice to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on kept_plan_advice to turnpike_operator using (true) with check (true);
create policy open_tenants on kept_plan_advice as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select, insert, update on kept_plan_advice to turnpike_tenant;
grant select, delete on kept_plan_advice to turnpike_operator;
