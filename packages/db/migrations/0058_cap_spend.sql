-- What a tenant may spend at most in a billing period: its own cap and the operator's. The smaller one counts.
create table spend_caps (
  tenant_id text primary key,
  currency text not null,
  -- Minor units of the currency; null without one.
  tenant_cap numeric(30, 0) check (tenant_cap >= 0),
  operator_cap numeric(30, 0) check (operator_cap >= 0),
  -- Shares of the cap, in per cent, at which the tenant is notified.
  shares int[] not null default '{50,80,100}',
  updated_at timestamptz not null
);

-- Shares that a tenant was told of: each once in a period.
create table spend_alerts (
  tenant_id text not null,
  period_from timestamptz not null,
  share int not null,
  told_at timestamptz not null,
  primary key (tenant_id, period_from, share)
);

-- What the granter of leases needs to keep the spend of a tenant within its cap. Written by billing whenever an account changes.
-- Only tenants with a cap have a row; its lock makes their grants take turns, whichever meter they are for.
create table spend_budgets (
  tenant_id text primary key,
  cap numeric(30, 0) not null check (cap >= 0),
  currency text not null,
  -- Meters with a price.
  meters text[] not null,
  -- SpendSpan of the domain package: the running period, and the next one if there is one.
  spans jsonb not null,
  -- Usage recorded up to here is in the spans.
  fed_to timestamptz not null,
  -- SpendAnchor of the domain package for each span, from the first grant in it on.
  anchors jsonb not null default '[]',
  changed_at timestamptz not null
);

do $$
declare
  table_name text;
begin
  foreach table_name in array array['spend_caps', 'spend_alerts', 'spend_budgets'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I to turnpike_tenant
      using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
    execute format('create policy open_tenants on %I as restrictive for select to turnpike_tenant
      using (exists (select from tenants t where t.tenant_id = current_tenant()))', table_name);
    execute format('grant select on %I to turnpike_tenant', table_name);
    execute format('grant select, insert, update, delete on %I to turnpike_operator', table_name);
  end loop;
end
$$;
create policy meter_rows on spend_budgets to turnpike_meter using (true) with check (true);
grant select, update (anchors) on spend_budgets to turnpike_meter;

create or replace view entitlements with (security_invoker = true) as
select t.tenant_id, t.suspended_at, e.standing, e.plan_id, e.plan_version, v.terms || e.phase_terms || e.overrides as terms,
  e.period_anchor, e.period_unit, e.period_every, e.updated_at,
  case when b.tenant_id is not null then jsonb_build_object('cap', b.cap::text, 'currency', b.currency, 'meters', b.meters,
    'changedAtMs', floor(extract(epoch from b.changed_at) * 1000)) end as spend_cap
from tenants t
  join tenant_entitlements e on e.tenant_id = t.tenant_id
  left join plan_versions v on v.plan_id = e.plan_id and v.version = e.plan_version
  left join spend_budgets b on b.tenant_id = t.tenant_id;
