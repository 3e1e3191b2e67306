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
