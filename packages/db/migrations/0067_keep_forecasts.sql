-- What was forecast of a period, once a day, to be compared with what came.
create table kept_forecasts (
  tenant_id text not null references tenants on delete cascade,
  -- A meter, such as "meter:requests", or "invoice".
  measure text not null,
  made_on date not null,
  period_from timestamptz not null,
  period_to timestamptz not null,
  -- Of an invoice; amounts are in minor units then.
  currency text,
  mean numeric not null,
  lower80 numeric not null,
  upper80 numeric not null,
  -- What came; null until it is known.
  actual numeric,
  primary key (tenant_id, measure, made_on)
);
-- Those whose period is over and not compared yet.
create index kept_forecasts_open on kept_forecasts (tenant_id, period_to) where actual is null;

alter table kept_forecasts enable row level security;
alter table kept_forecasts force row level security;
create policy tenant_rows on kept_forecasts to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on kept_forecasts to turnpike_operator using (true) with check (true);
create policy open_tenants on kept_forecasts as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select, insert, update, delete on kept_forecasts to turnpike_tenant;
grant select, delete on kept_forecasts to turnpike_operator;
