-- Changes that programs propose and people decide on.
create table proposals (
  tenant_id text not null references tenants on delete cascade,
  proposal_id text not null,
  -- As in the contract package.
  change jsonb not null,
  reason text not null,
  -- Kind and id of the actor.
  proposed_by text not null,
  -- Open until decided on; expired when open after its time.
  state text not null check (state in ('open', 'accepted', 'declined')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  primary key (tenant_id, proposal_id)
);

alter table proposals enable row level security;
alter table proposals force row level security;
create policy tenant_rows on proposals to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on proposals to turnpike_operator using (true) with check (true);
create policy open_tenants on proposals as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select, insert, update, delete on proposals to turnpike_tenant;
grant select, delete on proposals to turnpike_operator;
