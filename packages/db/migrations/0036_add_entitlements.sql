-- What one tenant is entitled to: one row for each tenant, written by operators and jobs alone.
create table tenant_entitlements (
  tenant_id text primary key references tenants on delete cascade,
  plan_id text not null,
  plan_version int not null,
  -- Start of one billing period, UTC; every period lasts period_every units, counted from here.
  period_anchor timestamptz not null,
  period_unit text not null default 'month' check (period_unit in ('day', 'week', 'month', 'quarter', 'year')),
  period_every int not null default 1 check (period_every > 0),
  -- TermsOverrides of the domain package: each list in it replaces the plan's.
  overrides jsonb not null default '{}' check (jsonb_typeof(overrides) = 'object'),
  standing text not null default 'current' check (standing in ('current', 'overdue', 'grace', 'blocked', 'capped')),
  updated_at timestamptz not null,
  foreign key (plan_id, plan_version) references plan_versions (plan_id, version)
);

-- The owner of the tables is bound by row-level security too; only here it reads every tenant.
alter table tenants no force row level security;
insert into tenant_entitlements (tenant_id, plan_id, plan_version, period_anchor, updated_at)
select tenant_id, plan_id, plan_version, period_anchor, updated_at from tenants where purged_at is null;
alter table tenants force row level security;
alter table tenants drop column plan_id, drop column plan_version, drop column period_anchor;

alter table tenant_entitlements enable row level security;
alter table tenant_entitlements force row level security;
create policy tenant_rows on tenant_entitlements to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on tenant_entitlements to turnpike_operator using (true) with check (true);
-- A deleted tenant is not there for its own people, as with every table of a tenant.
create policy open_tenants on tenant_entitlements as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select on tenant_entitlements to turnpike_tenant;
grant select, insert, update, delete on tenant_entitlements to turnpike_operator;

-- What every reader uses: what a tenant may do now. Tenants that are deleted are not in it, as they are not in tenants. The
-- version is joined from the left, although it always exists, so that a query that does not read the terms skips the join.
create view entitlements with (security_invoker = true) as
select t.tenant_id, t.suspended_at, e.standing, e.plan_id, e.plan_version, v.terms || e.overrides as terms,
  e.period_anchor, e.period_unit, e.period_every, e.updated_at
from tenants t
  join tenant_entitlements e on e.tenant_id = t.tenant_id
  left join plan_versions v on v.plan_id = e.plan_id and v.version = e.plan_version;
grant select on entitlements to turnpike_tenant, turnpike_operator;
