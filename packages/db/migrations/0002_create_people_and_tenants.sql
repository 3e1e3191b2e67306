create table users (
  user_id text primary key,
  -- Identity is (issuer, subject); an e-mail address never is.
  issuer text not null,
  subject text not null,
  email text,
  email_verified boolean not null default false,
  name text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (issuer, subject)
);

-- One row a code that a fresh install prints. Claiming is one conditional update, so that it succeeds once.
create table setup_codes (
  code_hash bytea primary key,
  created_at timestamptz not null,
  claimed_at timestamptz,
  claimed_by text
);

create table service_keys (
  service_key_id text primary key,
  name text not null,
  key_hash bytea not null unique,
  start text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  created_by text not null,
  revoked_at timestamptz
);

create table meters (
  meter_id text primary key,
  name text not null,
  unit text not null,
  aggregation text not null check (aggregation in ('count', 'sum')),
  created_at timestamptz not null
);

create table plans (
  plan_id text primary key,
  latest_version int not null,
  is_default boolean not null default false,
  created_at timestamptz not null
);
create unique index plans_one_default on plans (is_default) where is_default;

create table plan_versions (
  plan_id text not null references plans,
  version int not null,
  -- PlanTerms of the domain package.
  terms jsonb not null,
  published_at timestamptz not null,
  primary key (plan_id, version)
);

create table tenants (
  tenant_id text primary key,
  name text not null,
  slug text not null unique,
  -- The operator's own name for this customer.
  external_id text unique,
  plan_id text not null,
  plan_version int not null,
  -- Billing periods are counted from here, monthly.
  period_anchor timestamptz not null,
  suspended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  foreign key (plan_id, plan_version) references plan_versions (plan_id, version)
);

create table members (
  tenant_id text not null references tenants on delete cascade,
  user_id text not null references users,
  role text not null check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
  created_at timestamptz not null,
  primary key (tenant_id, user_id)
);
create index members_by_user on members (user_id);

create table audit_entries (
  tenant_id text not null,
  audit_id text not null,
  occurred_at timestamptz not null,
  actor_type text not null,
  actor_id text not null,
  action text not null,
  entity_type text not null,
  entity_id text not null,
  request_id text,
  -- What changed: field -> [before, after], or facts of the action. Never a secret.
  details jsonb not null default '{}',
  primary key (tenant_id, audit_id)
);
create index audit_entries_by_time on audit_entries (tenant_id, occurred_at desc, audit_id desc);

create table api_keys (
  tenant_id text not null references tenants on delete cascade,
  key_id text not null,
  name text not null,
  environment text not null check (environment in ('live', 'test')),
  key_hash bytea not null,
  start text not null,
  last_four text not null,
  -- Scopes for managing the tenant through the API.
  scopes text[] not null default '{}',
  metadata jsonb not null default '{}',
  expires_at timestamptz,
  disabled_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null,
  created_by text not null,
  primary key (tenant_id, key_id)
);
-- The one look-up of the hot path on a miss. Unique over all tenants: a key names its tenant.
create unique index api_keys_by_hash on api_keys (key_hash);

-- Row-level security: forced, so that it holds for the owner too.
do $$
declare
  table_name text;
begin
  foreach table_name in array array['tenants', 'members', 'audit_entries', 'api_keys'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format(
      'create policy tenant_rows on %I to turnpike_tenant using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())',
      table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
  end loop;
end
$$;

grant select, update on tenants to turnpike_tenant;
grant select, insert, update, delete on members, api_keys to turnpike_tenant;
-- No update, no delete: history is only ever added to.
grant select, insert on audit_entries to turnpike_tenant, turnpike_operator;
grant select on plans, plan_versions, meters to turnpike_tenant;
grant select, insert, update, delete on tenants, members, api_keys to turnpike_operator;
grant select, insert, update on users, setup_codes, service_keys, plans, plan_versions, meters to turnpike_operator;
-- A new start of an unclaimed installation replaces its code.
grant delete on setup_codes to turnpike_operator;
