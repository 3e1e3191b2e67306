-- Who a tenant's invoices are made out to. Each invoice keeps what was here when it was issued.
create table billing_details (
  tenant_id text primary key,
  company_name text,
  address_lines text[] not null default '{}',
  postal_code text,
  city text,
  region text,
  -- ISO 3166-1, two letters; null is taxed like a customer in the seller's country.
  country text check (country ~ '^[A-Z]{2}$'),
  email text,
  tax_id text,
  tax_id_status text check (tax_id_status in ('confirmed', 'pending', 'invalid')),
  -- Why the operator confirmed or refused it.
  tax_id_reason text,
  -- Text of the certificate by which no tax is charged; null for a customer who is taxed.
  exemption text,
  updated_at timestamptz not null,
  check ((tax_id is null) = (tax_id_status is null)),
  check (tax_id is null or country is not null)
);
alter table billing_details enable row level security;
alter table billing_details force row level security;
create policy tenant_rows on billing_details to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on billing_details to turnpike_operator using (true) with check (true);
create policy open_tenants on billing_details as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select on billing_details to turnpike_tenant;
grant select, insert, update, delete on billing_details to turnpike_operator;

-- Why an account cannot be closed, and since when. It is tried again until it can.
alter table billing_accounts
  add column held_reason text,
  add column held_since timestamptz,
  add check ((held_reason is null) = (held_since is null));
create index billing_accounts_held on billing_accounts (held_since) where held_since is not null;
