-- The built-in sign-in. Nothing here belongs to a tenant: only the operator role may see it.

-- Who can sign in with a password. People of the product are in users; (builtin, account_id) names one of them.
create table accounts (
  account_id text primary key,
  -- Lower case, without space around it.
  email text not null unique,
  email_verified boolean not null default false,
  name text,
  -- Argon2id as a PHC string: parameters, salt and hash.
  password_hash text not null,
  -- Sign-ins from before are worth nothing.
  password_changed_at timestamptz not null,
  -- Mails sent to the address since the window began: what strangers can cause is limited.
  mail_window_started_at timestamptz not null,
  mail_count int not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- Links sent by mail, each good for one use.
create table account_links (
  token_hash bytea primary key,
  account_id text not null references accounts on delete cascade,
  purpose text not null check (purpose in ('confirm', 'reset')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index account_links_by_account on account_links (account_id, purpose);
-- Clean-up looks for what has expired.
create index account_links_by_expiry on account_links (expires_at);

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

-- Keys that sign ID tokens, ES256. Of one secret each signs from signs_from until the next one does; machines with another
-- secret have keys of their own, and everybody believes all of them.
create table signing_keys (
  kid text primary key,
  -- Which secret the private key is encrypted with; says nothing about the secret itself.
  secret_id text not null,
  public_jwk jsonb not null,
  -- The private JWK as a compact JWE (dir, A256GCM).
  private_jwe text not null,
  signs_from timestamptz not null,
  -- When a process with this secret last looked: what nobody looks after any more is forgotten.
  seen_at timestamptz not null,
  created_at timestamptz not null,
  unique (secret_id, signs_from)
);

grant select, insert, update, delete on accounts, account_links, oidc_records to turnpike_operator;
grant select, insert, update, delete on signing_keys to turnpike_operator;
