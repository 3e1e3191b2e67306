-- The built-in sign-in. Nothing here belongs to a tenant: only the operator role may see it.

-- Who can sign in with a password. People of the product are in users; (builtin, account_id) names one of them.
create table accounts (
  account_id text primary key,
  -- Lower case, without space around it.
  email text not null unique,
  email_verified boolean not null default false,
  name text,
  -- A person who only ever came by single sign-on has no password.
  password_hash text,
  -- Sign-ins proven earlier are refused.
  password_changed_at timestamptz not null,
  -- Mails sent to the address since the window began: what strangers can cause is limited.
  mail_window_started_at timestamptz not null,
  mail_count int not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Since when a sign-in needs more than the password; null while the password is enough. What was given out without a second factor
  -- is worth nothing from then on.
  second_factor_since timestamptz
);
grant select, insert, update, delete on accounts to turnpike_operator;

-- Links sent by mail, each good for one use.
create table account_links (
  token_hash bytea primary key,
  account_id text not null references accounts on delete cascade,
  purpose text not null check (purpose in ('confirm', 'reset', 'change_email', 'undo_email')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  email text check ((email is not null) = (purpose in ('change_email', 'undo_email')))
);
create index account_links_by_account on account_links (account_id, purpose);

-- Clean-up looks for what has expired.
create index account_links_by_expiry on account_links (expires_at);
grant select, insert, update, delete on account_links to turnpike_operator;

-- What the OpenID provider remembers: sessions, grants, codes, tokens. Identifiers that open something are kept as hashes.
create table oidc_records (
  model text not null,
  id_hash bytea not null,
  payload jsonb not null,
  account_id text,
  grant_id text,
  session_uid text,
  consumed_at timestamptz,
  expires_at timestamptz not null,
  primary key (model, id_hash)
);

-- A grant is revoked with everything given out under it.
create index oidc_records_by_grant on oidc_records (grant_id) where grant_id is not null;

-- A new password ends everything of the account.
create index oidc_records_by_account on oidc_records (account_id) where account_id is not null;
create index oidc_records_by_session on oidc_records (session_uid) where session_uid is not null;
create index oidc_records_by_expiry on oidc_records (expires_at);
grant select, insert, update, delete on oidc_records to turnpike_operator;

-- Keys that sign ID tokens, ES256. Of one secret each signs from signs_from until the next one does; machines with another
-- secret have keys of their own, and all of them are trusted.
create table signing_keys (
  kid text primary key,
  -- Which secret the private key is encrypted with; says nothing about the secret itself.
  secret_id text not null,
  public_jwk jsonb not null,
  -- The private JWK as a compact JWE (dir, A256GCM).
  private_jwe text not null,
  signs_from timestamptz not null,
  -- When a process with this secret last looked: keys whose processes are gone are forgotten.
  seen_at timestamptz not null,
  created_at timestamptz not null,
  unique (secret_id, signs_from)
);
grant select, insert, update, delete on signing_keys to turnpike_operator;

-- Command lines that ask to be signed in (RFC 8628). Nothing here belongs to a tenant: only the operator role may see it.
create table device_sign_ins (
  device_hash bytea primary key,
  user_code_hash bytea not null unique,
  name text not null,
  address text not null,
  state text not null check (state in ('waiting', 'allowed', 'denied')),
  -- The first person who looked at it; no other may decide.
  user_id text references users on delete cascade,
  -- The program may ask again after so long.
  interval_seconds int not null,
  polled_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index device_sign_ins_by_expiry on device_sign_ins (expires_at);
grant select, insert, update, delete on device_sign_ins to turnpike_operator;

-- Credentials of command lines, each acting as a person.
create table person_tokens (
  person_token_id text primary key,
  token_hash bytea not null unique,
  user_id text not null references users on delete cascade,
  name text not null,
  -- Prefix and first characters, to recognise it by.
  start text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index person_tokens_by_user on person_tokens (user_id, created_at);
create index person_tokens_by_expiry on person_tokens (expires_at);
grant select, insert, update, delete on person_tokens to turnpike_operator;

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

-- Browsers that are signed in at the built-in provider, one for each grant, as their person sees them.
create table sign_ins (
  sign_in_id text primary key,
  account_id text not null references accounts on delete cascade,
  grant_id text not null unique,
  -- As the browser named itself; nothing vouches for it.
  browser text,
  system text,
  -- When the person last typed the password, or chose a new one, in it: a change of password ends what was proven before.
  proven_at timestamptz not null,
  created_at timestamptz not null,
  -- When it last got a token.
  last_used_at timestamptz not null,
  expires_at timestamptz not null
);
create index sign_ins_by_account on sign_ins (account_id, last_used_at);
create index sign_ins_by_expiry on sign_ins (expires_at);
grant select, insert, update, delete on sign_ins to turnpike_operator;

-- Apps that show codes of six digits (RFC 6238), one for each account.
create table account_totps (
  account_id text primary key references accounts on delete cascade,
  -- The shared secret as a compact JWE (dir, A256GCM).
  secret_jwe text not null,
  -- The step of the last code that was accepted: no code works twice.
  last_step bigint not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
grant select, insert, update, delete on account_totps to turnpike_operator;

-- Passkeys (WebAuthn credentials).
create table account_passkeys (
  passkey_id text primary key,
  account_id text not null references accounts on delete cascade,
  -- As the authenticator names it, base64url.
  credential_id text not null unique,
  -- COSE.
  public_key bytea not null,
  -- Of signatures, as the authenticator counts them; 0 where it does not.
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index account_passkeys_by_account on account_passkeys (account_id, passkey_id);
grant select, insert, update, delete on account_passkeys to turnpike_operator;

-- Codes for people who lost their factors. Each works once, and is deleted then.
create table account_recovery_codes (
  account_id text not null references accounts on delete cascade,
  code_hash bytea not null,
  created_at timestamptz not null,
  primary key (account_id, code_hash)
);
grant select, insert, update, delete on account_recovery_codes to turnpike_operator;

-- A factor that is being set up, one for each account. It counts for nothing before it is confirmed.
create table factor_enrolments (
  account_id text primary key references accounts on delete cascade,
  kind text not null check (kind in ('totp', 'passkey')),
  -- Of an app.
  secret_jwe text,
  -- Of a passkey.
  challenge text,
  -- Of the recovery codes that come with the first factor, in hex.
  recovery_hashes text[] not null,
  expires_at timestamptz not null
);
create index factor_enrolments_by_expiry on factor_enrolments (expires_at);
grant select, insert, update, delete on factor_enrolments to turnpike_operator;

-- Challenges for passkeys, each good for one answer.
create table passkey_challenges (
  -- The hash of whom it was given to: a sign-in in progress, or an account.
  owner_hash bytea primary key,
  challenge text not null,
  expires_at timestamptz not null
);
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);
grant select, insert, update, delete on passkey_challenges to turnpike_operator;

-- Sign-ins whose password was right, and that wait for the second factor.
create table pending_sign_ins (
  interaction_hash bytea primary key,
  account_id text not null references accounts on delete cascade,
  -- When the password was given: a later change of it ends this.
  started_at timestamptz not null,
  expires_at timestamptz not null
);
create index pending_sign_ins_by_account on pending_sign_ins (account_id);
create index pending_sign_ins_by_expiry on pending_sign_ins (expires_at);
grant select, insert, update, delete on pending_sign_ins to turnpike_operator;

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
alter table sso_connections enable row level security;
alter table sso_connections force row level security;
create policy operator_rows on sso_connections to turnpike_operator using (true) with check (true);
grant select, insert, update, delete on sso_connections to turnpike_operator;

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
alter table sso_domains enable row level security;
alter table sso_domains force row level security;
create policy operator_rows on sso_domains to turnpike_operator using (true) with check (true);
grant select, insert, update, delete on sso_domains to turnpike_operator;

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
alter table sso_identities enable row level security;
alter table sso_identities force row level security;
create policy operator_rows on sso_identities to turnpike_operator using (true) with check (true);
grant select, insert, update, delete on sso_identities to turnpike_operator;

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
alter table sso_attempts enable row level security;
alter table sso_attempts force row level security;
create policy operator_rows on sso_attempts to turnpike_operator using (true) with check (true);
grant select, insert, update, delete on sso_attempts to turnpike_operator;
