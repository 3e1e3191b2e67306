-- Calls by test keys draw on the credit of the sandbox, by its own clock, as live ones draw on that of the live account.
alter table spend_budgets
  add column environment text not null default 'live' check (environment in ('live', 'test')),
  -- How far the clock of the environment is ahead.
  add column ahead_ms bigint not null default 0,
  drop constraint spend_budgets_pkey,
  add primary key (tenant_id, environment);
alter table spend_budgets alter column environment drop default;

create or replace view entitlements with (security_invoker = true) as
select t.tenant_id, t.suspended_at, e.standing, e.plan_id, e.plan_version, v.terms || e.phase_terms || e.overrides as terms,
  e.period_anchor, e.period_unit, e.period_every, e.updated_at,
  case when b.tenant_id is not null then jsonb_build_object('cap', b.cap::text, 'currency', b.currency, 'meters', b.meters,
    'changedAtMs', floor(extract(epoch from b.changed_at) * 1000)) end as spend_cap,
  case when s.tenant_id is not null then jsonb_build_object('cap', s.cap::text, 'currency', s.currency, 'meters', s.meters,
    'changedAtMs', floor(extract(epoch from s.changed_at) * 1000)) end as sandbox_spend
from tenants t
  join tenant_entitlements e on e.tenant_id = t.tenant_id
  left join plan_versions v on v.plan_id = e.plan_id and v.version = e.plan_version
  left join spend_budgets b on b.tenant_id = t.tenant_id and b.environment = 'live'
  left join spend_budgets s on s.tenant_id = t.tenant_id and s.environment = 'test';
