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

-- Those that can still get tokens, from before.
insert into sign_ins (sign_in_id, account_id, grant_id, proven_at, created_at, last_used_at, expires_at)
select 'sin_' || md5(grant_id), account_id, grant_id,
  to_timestamp(min((payload->>'iat')::bigint)), to_timestamp(min((payload->>'iat')::bigint)),
  to_timestamp(max((payload->>'iat')::bigint)), max(expires_at)
from oidc_records join accounts using (account_id)
where model = 'RefreshToken' and grant_id is not null and payload->>'clientId' = 'console'
group by account_id, grant_id;

grant select, insert, update, delete on sign_ins to turnpike_operator;

-- A link may set another address of the account, or bring the former one back.
alter table account_links drop constraint account_links_purpose_check;
alter table account_links add constraint account_links_purpose_check
  check (purpose in ('confirm', 'reset', 'change_email', 'undo_email'));
alter table account_links add column email text;
alter table account_links add constraint account_links_email_check
  check ((email is not null) = (purpose in ('change_email', 'undo_email')));
