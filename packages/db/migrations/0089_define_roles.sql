-- Roles that a tenant makes itself. Where a built-in role has its name, a member has the id of one of these.
create table custom_roles (
  tenant_id text not null references tenants on delete cascade,
  role_id text not null check (role_id like 'rol\_%'),
  name text not null,
  description text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  created_by text not null,
  updated_at timestamptz not null,
  primary key (tenant_id, role_id)
);
-- Two roles of one tenant that look the same to readers are one too many.
create unique index custom_roles_by_name on custom_roles (tenant_id, lower(name));

alter table custom_roles enable row level security;
alter table custom_roles force row level security;
create policy tenant_rows on custom_roles to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on custom_roles to turnpike_operator using (true) with check (true);
create policy open_tenants on custom_roles as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
create trigger tenant_exists before insert on custom_roles for each row execute function assert_tenant_exists();
grant select on custom_roles to turnpike_tenant;
grant select, insert, update, delete on custom_roles to turnpike_operator;

-- A role of one's own belongs to the same tenant, and stays while someone has it, or may still accept it.
alter table members
  drop constraint members_role_check,
  add constraint members_role_check
    check (role in ('owner', 'admin', 'developer', 'billing', 'viewer') or role like 'rol\_%'),
  add column custom_role_id text generated always as (case when role like 'rol\_%' then role end) stored,
  add foreign key (tenant_id, custom_role_id) references custom_roles (tenant_id, role_id);
alter table invitations
  drop constraint invitations_role_check,
  add constraint invitations_role_check
    check (role in ('owner', 'admin', 'developer', 'billing', 'viewer') or role like 'rol\_%'),
  add column custom_role_id text generated always as
    (case when role like 'rol\_%' and accepted_at is null and revoked_at is null then role end) stored,
  add foreign key (tenant_id, custom_role_id) references custom_roles (tenant_id, role_id);
create index members_by_custom_role on members (tenant_id, custom_role_id) where custom_role_id is not null;
create index invitations_by_custom_role on invitations (tenant_id, custom_role_id) where custom_role_id is not null;
