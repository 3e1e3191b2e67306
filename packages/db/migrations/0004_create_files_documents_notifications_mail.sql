-- How far old rows were deleted, so that whoever reads on from a revision knows when some of what followed is gone.
create table pruned_revisions (
  source text primary key check (source in ('changes', 'documents')),
  revision bigint not null
);
insert into pruned_revisions (source, revision) values ('changes', 0), ('documents', 0);

-- What is known of each stored file; its bytes are in the file store under file_id.
create table files (
  tenant_id text not null references tenants on delete cascade,
  file_id text not null,
  name text not null,
  media_type text not null,
  bytes bigint not null check (bytes >= 0),
  sha256 bytea not null,
  created_at timestamptz not null,
  created_by text not null,
  primary key (tenant_id, file_id)
);

-- Live documents. `revision` is the one of `changes`: it grows in the order of commits, so that a reader who goes on from
-- the last revision it saw misses nothing. A deleted document stays as a row without a body until it is pruned.
create table documents (
  tenant_id text not null references tenants on delete cascade,
  collection text not null,
  document_id text not null,
  revision bigint not null,
  body jsonb,
  updated_at timestamptz not null,
  updated_by text not null,
  primary key (tenant_id, collection, document_id)
);
-- Streams read on from a revision.
create index documents_by_revision on documents (tenant_id, collection, revision);
-- Housekeeping looks for old tombstones.
create index documents_deleted on documents (updated_at) where body is null;

create table notifications (
  tenant_id text not null references tenants on delete cascade,
  notification_id text not null,
  -- Null for all members of the tenant.
  user_id text,
  kind text not null,
  title text not null,
  body text not null,
  -- Path of the console, never another address.
  link text check (link is null or link ~ '^/[^/\\]' or link = '/'),
  created_at timestamptz not null,
  read_at timestamptz,
  primary key (tenant_id, notification_id)
);
-- The bell counts what is unread.
create index notifications_unread on notifications (tenant_id, notification_id) where read_at is null;

-- Mail belongs to the installation: the tenant role has no access at all.
create table mails (
  mail_id text primary key,
  kind text not null,
  recipient text not null,
  subject text not null,
  -- Null once another server has taken the mail: the links in it are secrets.
  body text,
  state text not null check (state in ('queued', 'sent', 'failed')),
  attempts int not null default 0,
  last_error text,
  created_at timestamptz not null,
  sent_at timestamptz
);

do $$
declare
  table_name text;
begin
  foreach table_name in array array['files', 'documents', 'notifications'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format(
      'create policy tenant_rows on %I to turnpike_tenant using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())',
      table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
  end loop;
end
$$;

grant select, insert, delete on files to turnpike_tenant, turnpike_operator;
grant select, insert, update on documents to turnpike_tenant;
grant select, insert, update, delete on documents to turnpike_operator;
grant select, insert, update on notifications to turnpike_tenant;
grant select, insert, update, delete on notifications to turnpike_operator;
grant select, insert, update, delete on mails to turnpike_operator;
grant select on pruned_revisions to turnpike_tenant, turnpike_operator;
grant update on pruned_revisions to turnpike_operator;
-- A feed compares its place with the newest revision: a database restored from a backup has gone back.
grant select on sequence changes_revision_seq to turnpike_operator;
