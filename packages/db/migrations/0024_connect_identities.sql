-- Further sign-ins of people at providers elsewhere. The first one, and the account with a password here, is in users.
create table linked_identities (
  issuer text not null,
  subject text not null,
  user_id text not null references users on delete cascade,
  -- What the provider's newest token said. Never copied to the person while another identity is the first.
  email text,
  email_verified boolean not null,
  name text,
  claims_issued_at timestamptz not null,
  connected_at timestamptz not null,
  -- Tokens issued before are refused. Null: none is too old.
  tokens_valid_from timestamptz,
  primary key (issuer, subject),
  -- One account of each provider, so that an issuer names what is disconnected.
  unique (user_id, issuer)
);
grant select, insert, update, delete on linked_identities to turnpike_operator;

-- A person who proved their account and is about to sign in at a provider to connect it; one at a time.
create table identity_attempts (
  user_id text primary key references users on delete cascade,
  -- SHA-256 of the nonce that the provider's token must name.
  nonce_hash bytea not null,
  issuer text not null,
  -- The browser's sign-in at the built-in provider that began; null for people of a provider.
  sign_in_id text,
  expires_at timestamptz not null
);
create index identity_attempts_by_expiry on identity_attempts (expires_at);
grant select, insert, update, delete on identity_attempts to turnpike_operator;
