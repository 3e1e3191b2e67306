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

grant select, insert, update, delete on device_sign_ins, person_tokens to turnpike_operator;
