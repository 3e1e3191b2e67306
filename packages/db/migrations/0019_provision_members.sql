-- People and groups as a tenant's own directory describes them by SCIM. Only the operator role sees them: a credential is looked up
-- before its tenant is known.
create table scim_tokens (
  tenant_id text not null references tenants on delete cascade,
  scim_token_id text not null,
  -- Hashed, as every credential.
  token_hash bytea not null unique,
  -- Prefix and first characters: safe to show.
  start text not null,
  created_at timestamptz not null,
  created_by text not null,
  last_used_at timestamptz,
  primary key (tenant_id, scim_token_id)
);

create table scim_users (
  tenant_id text not null references tenants on delete cascade,
  scim_user_id text not null,
  user_name text not null,
  -- Lower case, of a domain that the tenant has proven.
  email text not null,
  external_id text,
  display_name text,
  formatted_name text,
  given_name text,
  family_name text,
  -- False: the directory ended their access.
  active boolean not null,
  -- Null: waits for the person's first sign-in.
  user_id text references users on delete set null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, scim_user_id)
);
create unique index scim_users_by_name on scim_users (tenant_id, lower(user_name));
create unique index scim_users_by_email on scim_users (tenant_id, email);
create unique index scim_users_by_person on scim_users (tenant_id, user_id) where user_id is not null;
create index scim_users_by_external_id on scim_users (tenant_id, external_id) where external_id is not null;
create index scim_users_waiting on scim_users (email) where user_id is null;
create index scim_users_of_person on scim_users (user_id) where user_id is not null;

-- A group of the directory that gives a role. Owners are made by owners.
create table scim_groups (
  tenant_id text not null references tenants on delete cascade,
  scim_group_id text not null,
  display_name text not null,
  role text not null check (role in ('admin', 'developer', 'billing', 'viewer') or role like 'rol\_%'),
  custom_role_id text generated always as (case when role like 'rol\_%' then role end) stored,
  external_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, scim_group_id),
  unique (tenant_id, role),
  foreign key (tenant_id, custom_role_id) references custom_roles (tenant_id, role_id) on delete cascade
);

create table scim_group_members (
  tenant_id text not null,
  scim_group_id text not null,
  scim_user_id text not null,
  primary key (tenant_id, scim_group_id, scim_user_id),
  foreign key (tenant_id, scim_group_id) references scim_groups on delete cascade,
  foreign key (tenant_id, scim_user_id) references scim_users on delete cascade
);
create index scim_group_members_by_user on scim_group_members (tenant_id, scim_user_id);

-- The latest changes and refusals, for the owners; older ones go when a new one comes.
create table scim_requests (
  tenant_id text not null references tenants on delete cascade,
  request_id text not null,
  occurred_at timestamptz not null,
  -- Such as `POST /Users`.
  operation text not null,
  -- Whom it was about, if that was understood.
  subject text,
  status int not null,
  -- Why it was refused; null for a change.
  detail text,
  primary key (tenant_id, request_id)
);

alter table scim_tokens enable row level security;
alter table scim_tokens force row level security;
create policy operator_rows on scim_tokens to turnpike_operator using (true) with check (true);
alter table scim_users enable row level security;
alter table scim_users force row level security;
create policy operator_rows on scim_users to turnpike_operator using (true) with check (true);
alter table scim_groups enable row level security;
alter table scim_groups force row level security;
create policy operator_rows on scim_groups to turnpike_operator using (true) with check (true);
alter table scim_group_members enable row level security;
alter table scim_group_members force row level security;
create policy operator_rows on scim_group_members to turnpike_operator using (true) with check (true);
alter table scim_requests enable row level security;
alter table scim_requests force row level security;
create policy operator_rows on scim_requests to turnpike_operator using (true) with check (true);
grant select, insert, update, delete on scim_tokens, scim_users, scim_groups, scim_group_members, scim_requests
  to turnpike_operator;
