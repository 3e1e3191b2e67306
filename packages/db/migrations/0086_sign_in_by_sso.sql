-- A tenant's own single sign-on. Only the operator role sees the secrets of it: a sign-in belongs to no tenant yet.
create table sso_connections (
  tenant_id text primary key references tenants on delete cascade,
  protocol text not null check (protocol in ('oidc', 'saml')),
  name text not null,
  default_role text not null,
  enabled boolean not null,
  required boolean not null,
  -- OpenID Connect.
  issuer text,
  client_id text,
  -- Encrypted.
  client_secret text,
  -- SAML 2.0, from the provider's metadata. Certificates in PEM.
  entity_id text,
  sign_in_url text,
  certificates text[],
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_used_at timestamptz,
  last_failed_at timestamptz,
  last_failure text,
  check (case protocol
    when 'oidc' then num_nonnulls(issuer, client_id) = 2
    else num_nonnulls(entity_id, sign_in_url, certificates) = 3 end)
);

-- A domain that a tenant claims. Many may claim one, and one proves it.
create table sso_domains (
  tenant_id text not null references tenants on delete cascade,
  domain text not null,
  token text not null,
  verified_at timestamptz,
  created_at timestamptz not null,
  primary key (tenant_id, domain)
);
create unique index sso_domains_verified on sso_domains (domain) where verified_at is not null;

-- Which account a person of a tenant's provider is.
create table sso_identities (
  tenant_id text not null references tenants on delete cascade,
  -- The provider's name for the person: `sub`, or the name id of an assertion.
  subject text not null,
  account_id text not null references accounts on delete cascade,
  created_at timestamptz not null,
  primary key (tenant_id, subject)
);
create unique index sso_identities_by_account on sso_identities (tenant_id, account_id);
create index sso_identities_of_account on sso_identities (account_id);

-- A sign-in on its way to the provider and back. Secrets are hashed, as in every link.
create table sso_attempts (
  tenant_id text not null references sso_connections on delete cascade,
  state_hash bytea not null,
  -- The interaction of the built-in provider that it answers, and so the browser that began it.
  interaction text not null,
  nonce text not null,
  code_verifier text not null,
  expires_at timestamptz not null,
  -- Who came back; the browser that began it collects this once.
  result_hash bytea unique,
  subject text,
  email text,
  name text,
  primary key (tenant_id, state_hash)
);
create index sso_attempts_by_expiry on sso_attempts (expires_at);

-- A person who only ever came by single sign-on has no password.
alter table accounts alter column password_hash drop not null;

alter table sso_connections enable row level security;
alter table sso_connections force row level security;
create policy operator_rows on sso_connections to turnpike_operator using (true) with check (true);
alter table sso_domains enable row level security;
alter table sso_domains force row level security;
create policy operator_rows on sso_domains to turnpike_operator using (true) with check (true);
alter table sso_identities enable row level security;
alter table sso_identities force row level security;
create policy operator_rows on sso_identities to turnpike_operator using (true) with check (true);
alter table sso_attempts enable row level security;
alter table sso_attempts force row level security;
create policy operator_rows on sso_attempts to turnpike_operator using (true) with check (true);
grant select, insert, update, delete on sso_connections, sso_domains, sso_identities, sso_attempts to turnpike_operator;
