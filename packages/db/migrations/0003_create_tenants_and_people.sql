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
  is_operator boolean not null default false,
  -- Tokens issued before are refused. Null: none is too old.
  tokens_valid_from timestamptz,
  -- When the token was issued that e-mail and name are from: an older one, used late, does not bring them back.
  claims_issued_at timestamptz,
  -- When the account was deleted. The row stays without name and address: the trail names its id, and tokens issued earlier are
  -- refused by it. Once none of them can be valid, the provider's name for the person goes too.
  deleted_at timestamptz,
  unique (issuer, subject)
);

-- Operators are few and listed on their own.
create index users_operators on users (user_id) where is_operator;

-- Operators are named by e-mail address on the command line.
create index users_by_email on users (lower(email));
create index users_deleted on users (deleted_at) where deleted_at is not null and issuer <> 'deleted';
grant select, insert, update, delete on users to turnpike_operator;

-- One row a code that a fresh install prints. Claiming is one conditional update, so that it succeeds once.
create table setup_codes (
  code_hash bytea primary key,
  created_at timestamptz not null,
  claimed_at timestamptz,
  claimed_by text
);

-- A new start of an unclaimed installation replaces its code.
grant select, insert, update, delete on setup_codes to turnpike_operator;

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
grant select, insert, update on service_keys to turnpike_operator;

create table tenants (
  tenant_id text primary key,
  name text not null,
  slug text not null,
  -- The operator's own name for this customer.
  external_id text,
  suspended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- A tenant that is deleted stays as a row: what was used stays in the ledger, and it can be restored for a while.
  deleted_at timestamptz,
  -- Kind and id of who did it.
  deleted_by text,
  -- When its data was removed; nothing but the row and the ledger is left of it then.
  purged_at timestamptz,
  -- Kind and id of the creator, so that deleting a tenant does not let a person found more than they may. Null in a demo.
  created_by text,
  -- The logo of a tenant: what its pictures hash to, which is part of their address, and the files that hold them.
  logo_id text,
  logo_files text[],
  constraint tenants_logo check ((logo_id is null) = (logo_files is null))
);
create unique index tenants_by_slug on tenants (slug) where deleted_at is null;
create unique index tenants_by_external_id on tenants (external_id) where deleted_at is null;

-- Operators list those that are deleted, and a job looks for those whose time is over.
create index tenants_deleted on tenants (deleted_at) where deleted_at is not null;

-- To a transaction that does not ask for deleted tenants they do not exist: one rule in place of a
-- condition in each query that asks whether a tenant exists.
create policy open_tenants on tenants as restrictive to turnpike_tenant, turnpike_operator
  using (deleted_at is null or current_setting('app.deleted_tenants', true) = 'shown');

-- How many tenants a person has founded, and how many invitations they have sent, recently.
create index tenants_by_maker on tenants (created_by, created_at);
alter table tenants force row level security;
create unique index tenants_by_logo on tenants (logo_id) where logo_id is not null;

-- The sweep asks which of the stored files are logos.
create index tenants_by_logo_file on tenants using gin (logo_files) where logo_files is not null;
grant select, update on tenants to turnpike_tenant;
grant select, insert, update, delete on tenants to turnpike_operator;

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

-- Nothing is added to a tenant that is deleted, also when a caller saw it exist a moment before. The lock is the one
-- that the foreign keys take anyway; deleting takes one that excludes it.
create function assert_tenant_exists() returns trigger
  language plpgsql
  set search_path = pg_catalog, public
as $$
begin
  perform 1 from public.tenants where tenant_id = new.tenant_id for key share;
  if not found then
    raise exception 'There is no tenant %.', new.tenant_id using errcode = 'TP404';
  end if;
  return new;
end
$$;

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

create table members (
  tenant_id text not null references tenants on delete cascade,
  user_id text not null references users,
  role text not null check (role in ('owner', 'admin', 'developer', 'billing', 'viewer') or role like 'rol\_%'),
  created_at timestamptz not null,
  custom_role_id text generated always as (case when role like 'rol\_%' then role end) stored,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, custom_role_id) references custom_roles (tenant_id, role_id)
);

-- What one tenant is entitled to: one row for each tenant, written by operators and jobs alone.
create table tenant_entitlements (
  tenant_id text primary key references tenants on delete cascade,
  plan_id text not null,
  plan_version int not null,
  -- Start of one billing period, UTC; every period lasts period_every units, counted from here.
  period_anchor timestamptz not null,
  period_unit text not null default 'month' check (period_unit in ('day', 'week', 'month', 'quarter', 'year')),
  period_every int not null default 1 check (period_every > 0),
  -- TermsOverrides of the domain package: each list in it replaces the plan's.
  overrides jsonb not null default '{}' check (jsonb_typeof(overrides) = 'object'),
  standing text not null default 'current' check (standing in ('current', 'out_of_credit', 'overdue', 'grace', 'blocked', 'capped')),
  updated_at timestamptz not null,
  -- Plans of a phase, where they differ from those of the version: each list in it replaces the version's.
  phase_terms jsonb not null default '{}' check (jsonb_typeof(phase_terms) = 'object'),
  foreign key (plan_id, plan_version) references plan_versions (plan_id, version)
);
create index members_by_user on members (user_id);
alter table tenant_entitlements enable row level security;
alter table tenant_entitlements force row level security;
create policy tenant_rows on tenant_entitlements to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on tenant_entitlements to turnpike_operator using (true) with check (true);

-- A deleted tenant is not there for its own people, as with every table of a tenant.
create policy open_tenants on tenant_entitlements as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));

-- Subscribers of a plan are read page by page.
create index tenant_entitlements_by_plan on tenant_entitlements (plan_id, tenant_id);
create index members_by_custom_role on members (tenant_id, custom_role_id) where custom_role_id is not null;
grant select, insert, update, delete on members to turnpike_tenant, turnpike_operator;
grant select on tenant_entitlements to turnpike_tenant;
grant select, insert, update, delete on tenant_entitlements to turnpike_operator;

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
  -- Trails are read by the time of their entries, newest first: of one entity, of one actor, or of one noun of actions
  -- (`member` of `member.removed`). Each index has the condition and the order, so that a page reads no more entries than it looks at.
  -- The noun is a column, because under row-level security no index answers a condition on a function that may leak what it sees.
  noun text not null generated always as (split_part(action, '.', 1)) stored,
  primary key (tenant_id, audit_id)
);
create index audit_entries_by_time on audit_entries (tenant_id, occurred_at desc, audit_id desc);
create index audit_entries_of_entity on audit_entries (entity_id, tenant_id, occurred_at desc, audit_id desc);
create index audit_entries_of_actor on audit_entries (tenant_id, actor_id, occurred_at desc, audit_id desc);
create index audit_entries_of_noun on audit_entries (tenant_id, noun, occurred_at desc, audit_id desc);

-- Operators read those of all tenants. The condition is a column and not that of a partial index, which the planner would take for
-- one tenant too, and pass over the entries of all others.
create index audit_entries_of_tenants on audit_entries ((tenant_id <> 'operator'), occurred_at desc, audit_id desc);
create index audit_entries_of_tenants_by_actor
  on audit_entries (actor_id, (tenant_id <> 'operator'), occurred_at desc, audit_id desc);

-- No update, no delete: history is only ever added to.
grant select, insert on audit_entries to turnpike_tenant, turnpike_operator;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['tenants', 'members', 'audit_entries'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I to turnpike_tenant
      using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
  end loop;
end
$$;

create table invitations (
  tenant_id text not null references tenants on delete cascade,
  invitation_id text not null,
  -- Lower case.
  email text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'billing', 'viewer') or role like 'rol\_%'),
  token_hash bytea not null,
  created_at timestamptz not null,
  created_by text not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  accepted_by text references users,
  revoked_at timestamptz,
  custom_role_id text generated always as
    (case when role like 'rol\_%' and accepted_at is null and revoked_at is null then role end) stored,
  primary key (tenant_id, invitation_id),
  foreign key (tenant_id, custom_role_id) references custom_roles (tenant_id, role_id)
);

-- The holder of a token does not name the tenant.
create unique index invitations_by_hash on invitations (token_hash);

-- One that can be accepted for each address: inviting again replaces.
create unique index invitations_open on invitations (tenant_id, email)
  where accepted_at is null and revoked_at is null;

-- How many mails a tenant, and an address, has caused recently.
create index invitations_by_time on invitations (tenant_id, created_at);
create index invitations_by_email on invitations (email, created_at);
alter table invitations enable row level security;
alter table invitations force row level security;
create policy tenant_rows on invitations to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on invitations to turnpike_operator using (true) with check (true);
create index invitations_by_inviter on invitations (created_by, created_at);
create index invitations_by_custom_role on invitations (tenant_id, custom_role_id) where custom_role_id is not null;
grant select, insert, update on invitations to turnpike_tenant;
grant select, insert, update, delete on invitations to turnpike_operator;

-- Answers that are given again when a request comes again with the same Idempotency-Key. Callers are programs of the
-- operator, so rows belong to no tenant.
create table idempotency_records (
  -- Kind and id of who asked; keys of two callers never meet.
  actor text not null,
  operation text not null,
  idempotency_key text not null,
  -- SHA-256 of the request.
  request_hash bytea not null,
  -- Whose attempt is under way, or gave the answer.
  claim_id text not null,
  claimed_at timestamptz not null,
  created_at timestamptz not null,
  -- Null while the attempt is under way.
  status smallint,
  body text,
  primary key (actor, operation, idempotency_key)
);

-- What is old is deleted.
create index idempotency_records_by_age on idempotency_records (created_at);
alter table idempotency_records enable row level security;
alter table idempotency_records force row level security;
create policy operator_rows on idempotency_records to turnpike_operator using (true) with check (true);
grant select, insert, update, delete on idempotency_records to turnpike_operator;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['members', 'invitations'] loop
    execute format('create trigger tenant_exists before insert on %I for each row execute function assert_tenant_exists()', table_name);
  end loop;
end
$$;

-- What a deleted tenant had stays until it can no longer be restored. To its people it does not exist, as the tenant itself does
-- not: one rule in place of a condition in each query. It is asked once for a statement, not once for a row.
do $$
declare
  table_name text;
begin
  foreach table_name in array array['members', 'invitations'] loop
    execute format('create policy open_tenants on %I as restrictive for select to turnpike_tenant
      using (exists (select from tenants t where t.tenant_id = current_tenant()))', table_name);
  end loop;
end
$$;

-- When operators acted in tenants, and why. Rows stay: the audit trails of the tenants name them.
create table acting_sessions (
  tenant_id text not null,
  acting_id text not null,
  user_id text not null,
  reason text not null,
  started_at timestamptz not null,
  expires_at timestamptz not null,
  -- Null until the operator ends it, or begins another one.
  ended_at timestamptz,
  primary key (tenant_id, acting_id)
);

-- An operator acts in one tenant at a time.
create unique index acting_sessions_open on acting_sessions (user_id) where ended_at is null;
alter table acting_sessions enable row level security;
alter table acting_sessions force row level security;
create policy operator_rows on acting_sessions to turnpike_operator using (true) with check (true);
grant select, insert, update, delete on acting_sessions to turnpike_operator;
