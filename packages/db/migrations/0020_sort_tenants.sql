-- What the operator's list of tenants is sorted by. The figures come from the ledger, the charts and billing, and an order over all
-- tenants needs an index: a job works them out again every minute and writes those that have changed.
create table tenant_figures (
  tenant_id text primary key references tenants on delete cascade,
  -- Requests with live keys in the current period.
  used numeric not null default 0,
  -- Of the fullest quota of the current period, in thousandths; -1 without a quota.
  quota_share bigint not null default -1,
  -- Minute of the last call.
  last_used_at timestamptz not null default '-infinity',
  -- Monthly recurring revenue, in minor units, and the same in major ones: amounts of all currencies in one order. Nothing is converted.
  revenue numeric not null default 0,
  revenue_size numeric not null default 0,
  currency text
);
create index tenant_figures_by_use on tenant_figures (used, tenant_id);
create index tenant_figures_by_share on tenant_figures (quota_share, tenant_id);
create index tenant_figures_by_last_use on tenant_figures (last_used_at, tenant_id);
create index tenant_figures_by_revenue on tenant_figures (revenue_size, tenant_id);

alter table tenant_figures enable row level security;
alter table tenant_figures force row level security;
create policy operator_rows on tenant_figures to turnpike_operator using (true) with check (true);
grant select, insert, update, delete on tenant_figures to turnpike_operator;

-- A new tenant is in every order at once.
create function add_tenant_figures() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  insert into public.tenant_figures (tenant_id) values (new.tenant_id) on conflict do nothing;
  return null;
end
$$;
create trigger add_figures after insert on tenants for each row execute function add_tenant_figures();

set local role turnpike_operator;
set local app.deleted_tenants = 'shown';
insert into tenant_figures (tenant_id) select tenant_id from tenants;
reset role;
set local app.deleted_tenants = '';
