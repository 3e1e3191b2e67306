alter table users
  add column is_operator boolean not null default false,
  -- Tokens issued before are refused. Null: none is too old.
  add column tokens_valid_from timestamptz,
  -- When the token was issued that e-mail and name are from: an older one, used late, does not bring them back.
  add column claims_issued_at timestamptz;
-- Operators are few and listed on their own.
create index users_operators on users (user_id) where is_operator;
-- Operators are named by e-mail address on the command line.
create index users_by_email on users (lower(email));

alter table changes drop constraint changes_kind_check;
alter table changes add constraint changes_kind_check
  check (kind in ('key', 'tenant', 'plan', 'service_key', 'document', 'notification', 'user'));

create table invitations (
  tenant_id text not null references tenants on delete cascade,
  invitation_id text not null,
  -- Lower case.
  email text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
  token_hash bytea not null,
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by text references users,
  revoked_at timestamptz,
  primary key (tenant_id, invitation_id)
);
-- Whoever holds a token does not name the tenant.
create unique index invitations_by_hash on invitations (token_hash);
-- One that can be accepted for each address: inviting again replaces.
create unique index invitations_open on invitations (tenant_id, email)
  where accepted_at is null and revoked_at is null;
-- How many mails a tenant, and an address, has caused of late.
create index invitations_by_time on invitations (tenant_id, created_at);
create index invitations_by_email on invitations (email, created_at);

alter table invitations enable row level security;
alter table invitations force row level security;
create policy tenant_rows on invitations to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on invitations to turnpike_operator using (true) with check (true);
grant select, insert, update on invitations to turnpike_tenant;
grant select, insert, update, delete on invitations to turnpike_operator;
