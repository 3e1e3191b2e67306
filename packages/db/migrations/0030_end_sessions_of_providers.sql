-- Sessions that end because a provider says so (OpenID Connect Back-Channel Logout). Nothing here belongs to a tenant: only the
-- operator role may see it.

-- Tokens of a person's first identity issued before are refused. Unlike tokens_valid_from it ends no command line and no agent. Of a
-- connected identity it is linked_identities.tokens_valid_from.
alter table users add column sessions_valid_from timestamptz;

-- Sessions of people at their providers, as ID tokens name them (`sid`), and what ended of them. Of the built-in provider, those that
-- ended before their tokens did.
create table provider_sessions (
  issuer text not null,
  -- Empty for a session that ended before any of its tokens came here.
  subject text not null,
  session_id text not null,
  seen_at timestamptz not null,
  ended_at timestamptz,
  expires_at timestamptz not null,
  primary key (issuer, subject, session_id)
);
create index provider_sessions_by_id on provider_sessions (issuer, session_id);
create index provider_sessions_by_expiry on provider_sessions (expires_at);
grant select, insert, update, delete on provider_sessions to turnpike_operator;

-- Logout tokens that were used, each good for one use.
create table logout_tokens (
  -- SHA-256 of issuer, audience and `jti`.
  token_hash bytea primary key,
  expires_at timestamptz not null
);
create index logout_tokens_by_expiry on logout_tokens (expires_at);
grant select, insert, delete on logout_tokens to turnpike_operator;

-- By whose single sign-on a browser signed in, and the session there.
alter table sso_attempts add column session_id text;
alter table sign_ins add column sso_tenant_id text;
alter table sign_ins add column sso_session_id text;
create index sign_ins_of_sso on sign_ins (sso_tenant_id, sso_session_id) where sso_tenant_id is not null;
