-- When an insight was last shown as new; null for what was stored before, which counts from its beginning.
alter table insights add column opened_at timestamptz;

-- Who is mailed what changed in a tenant, and how often. No row: never.
create table insight_digests (
  tenant_id text not null references tenants on delete cascade,
  user_id text not null,
  frequency text not null check (frequency in ('daily', 'weekly')),
  -- A name of the IANA database: the reader's.
  time_zone text not null,
  -- Earlier changes were told of.
  told_to timestamptz not null,
  next_at timestamptz not null,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references members on delete cascade
);
-- Those that are due.
create index insight_digests_due on insight_digests (next_at);
-- Those of a person.
create index insight_digests_by_user on insight_digests (user_id);

alter table insight_digests enable row level security;
alter table insight_digests force row level security;
create policy tenant_rows on insight_digests to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on insight_digests to turnpike_operator using (true) with check (true);
create policy open_tenants on insight_digests as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select, insert, update, delete on insight_digests to turnpike_tenant;
grant select, update, delete on insight_digests to turnpike_operator;
