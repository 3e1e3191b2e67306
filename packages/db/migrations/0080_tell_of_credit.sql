-- At which shares of their credit tenants on a prepaid plan hear of it, and of which they have heard since credit was added last.
create table credit_alerts (
  tenant_id text primary key,
  -- In per cent of what was left once credit was added last; 0: calls of some meter are refused.
  shares int[] not null default '{50,20,10,0}',
  -- Minor units; null: no notice at a sum.
  below numeric(30, 0) check (below > 0),
  -- All that was ever granted: another sum means that credit was added.
  granted numeric(30, 0) not null default 0,
  -- What was left then, before tax.
  whole numeric(30, 0) not null default 0,
  -- The lowest share that was told since; null for none.
  told_share int,
  told_below boolean not null default false
);

alter table credit_alerts enable row level security;
alter table credit_alerts force row level security;
create policy tenant_rows on credit_alerts to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on credit_alerts to turnpike_operator using (true) with check (true);
create policy open_tenants on credit_alerts as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select on credit_alerts to turnpike_tenant;
grant select, insert, update, delete on credit_alerts to turnpike_operator;

-- A tenant on a prepaid plan of which calls are refused for want of credit. The standing itself refuses nothing: what fits passes.
alter table tenant_entitlements drop constraint tenant_entitlements_standing_check;
alter table tenant_entitlements add constraint tenant_entitlements_standing_check
  check (standing in ('current', 'out_of_credit', 'overdue', 'grace', 'blocked', 'capped'));
