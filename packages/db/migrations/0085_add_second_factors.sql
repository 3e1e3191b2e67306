-- Second factors of accounts of the built-in sign-in. Like accounts, nothing here belongs to a tenant: only the operator role may
-- see it.

-- Since when a sign-in needs more than the password; null while the password is enough. What was given out without a second factor
-- is worth nothing from then on.
alter table accounts add column second_factor_since timestamptz;

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

-- Codes for people who lost their factors. Each works once, and is deleted then.
create table account_recovery_codes (
  account_id text not null references accounts on delete cascade,
  code_hash bytea not null,
  created_at timestamptz not null,
  primary key (account_id, code_hash)
);

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

-- Challenges for passkeys, each good for one answer.
create table passkey_challenges (
  -- The hash of whom it was given to: a sign-in in progress, or an account.
  owner_hash bytea primary key,
  challenge text not null,
  expires_at timestamptz not null
);
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);

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

grant select, insert, update, delete
  on account_totps, account_passkeys, account_recovery_codes, factor_enrolments, passkey_challenges, pending_sign_ins
  to turnpike_operator;
