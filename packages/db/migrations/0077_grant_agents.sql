-- Programs that a member connected to a tenant by OAuth. Their tokens are records of the provider; what they may do is here, and a
-- grant that is not here is worth nothing.
create table agent_grants (
  tenant_id text not null,
  agent_grant_id text not null,
  user_id text not null,
  -- As the program names itself; nothing vouches for it.
  name text not null,
  -- The host of its metadata document; null for one that registered itself.
  host text,
  scopes text[] not null,
  created_at timestamptz not null,
  -- When it last got a token.
  renewed_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (tenant_id, agent_grant_id),
  -- A member who comes back connects their agents anew.
  foreign key (tenant_id, user_id) references members on delete cascade
);
create unique index agent_grants_by_id on agent_grants (agent_grant_id);
create index agent_grants_by_member on agent_grants (tenant_id, user_id);
create index agent_grants_by_expiry on agent_grants (expires_at);

alter table agent_grants enable row level security;
alter table agent_grants force row level security;
create policy tenant_rows on agent_grants to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on agent_grants to turnpike_operator using (true) with check (true);
create policy open_tenants on agent_grants as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select on agent_grants to turnpike_tenant;
grant select, insert, update, delete on agent_grants to turnpike_operator;
