-- An operator's change of a plan is billed in the transaction that changes the tenant, which takes its own cut-off.
grant execute on function cut_off_usage() to turnpike_operator;

-- Who redeemed a coupon: each tenant once in each environment.
create table coupon_redemptions (
  tenant_id text not null,
  environment text not null check (environment in ('live', 'test')),
  coupon_id text not null references coupons,
  redeemed_at timestamptz not null,
  primary key (tenant_id, environment, coupon_id)
);
create index coupon_redemptions_by_coupon on coupon_redemptions (coupon_id) where environment = 'live';
alter table coupon_redemptions enable row level security;
alter table coupon_redemptions force row level security;
create policy tenant_rows on coupon_redemptions to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on coupon_redemptions to turnpike_operator using (true) with check (true);
create policy open_tenants on coupon_redemptions as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select on coupon_redemptions to turnpike_tenant;
grant select, insert, delete on coupon_redemptions to turnpike_operator;
