-- A tenant may move to another cell, which has a database of its own.
alter table tenants
  -- Since when its calls are refused here, because it is being moved. Null: it lives here.
  add column moving_since timestamptz,
  -- The version of its entry in the directory of cells when it came to live here: where the directory has an older one, it was
  -- restored from a copy, and what is here holds.
  add column place_version bigint not null default 1;

-- Each process looks for them when a tenant changes; there are hardly ever any.
create index tenants_moving on tenants (tenant_id) where moving_since is not null;

-- Processes that admit no call of a moving tenant any more and have committed all that its calls used. No one but operators and
-- jobs reads or writes it.
create table moving_stops (
  tenant_id text not null references tenants on delete cascade,
  process_id text not null,
  stopped_at timestamptz not null default now(),
  primary key (tenant_id, process_id)
);
alter table moving_stops enable row level security;
alter table moving_stops force row level security;
create policy operator_all on moving_stops to turnpike_operator using (true) with check (true);
grant select, insert, delete on moving_stops to turnpike_operator;

create or replace view entitlements with (security_invoker = true) as
select t.tenant_id, t.suspended_at, e.standing, e.plan_id, e.plan_version, v.terms || e.phase_terms || e.overrides as terms,
  e.period_anchor, e.period_unit, e.period_every, e.updated_at,
  case when b.tenant_id is not null then jsonb_build_object('cap', b.cap::text, 'currency', b.currency, 'meters', b.meters,
    'changedAtMs', floor(extract(epoch from b.changed_at) * 1000)) end as spend_cap,
  case when s.tenant_id is not null then jsonb_build_object('cap', s.cap::text, 'currency', s.currency, 'meters', s.meters,
    'changedAtMs', floor(extract(epoch from s.changed_at) * 1000)) end as sandbox_spend,
  t.moving_since
from tenants t
  join tenant_entitlements e on e.tenant_id = t.tenant_id
  left join plan_versions v on v.plan_id = e.plan_id and v.version = e.plan_version
  left join spend_budgets b on b.tenant_id = t.tenant_id and b.environment = 'live'
  left join spend_budgets s on s.tenant_id = t.tenant_id and s.environment = 'test';
