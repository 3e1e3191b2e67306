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
grant select, insert, delete on files to turnpike_tenant, turnpike_operator;

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
grant select, insert, update on documents to turnpike_tenant;
grant select, insert, update, delete on documents to turnpike_operator;

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
grant select, insert, update on notifications to turnpike_tenant;
grant select, insert, update, delete on notifications to turnpike_operator;

-- Mail belongs to the installation: the tenant role has no access at all.
create table mails (
  mail_id text primary key,
  kind text not null,
  recipient text not null,
  subject text not null,
  -- Null once another server has taken the mail: the links in it are secrets.
  body text,
  state text not null check (state in ('queued', 'sent', 'failed', 'held', 'bounced')),
  attempts int not null default 0,
  last_error text,
  created_at timestamptz not null,
  sent_at timestamptz,
  -- Whose mail it is, for the order in which mails are sent: the id of a tenant, or empty for a mail of the installation itself,
  -- such as that of a new password.
  sender text not null default '',
  -- A mail may have a part in HTML beside its text, and files.
  html text,
  -- What a mail says, part by part: its text and its HTML are written from it. The column `html` is of earlier versions.
  content jsonb,
  -- The entity that a mail is about, such as an invitation.
  about text,
  -- True for a mail that its recipient asked for, and waits for: it is also sent to an address that refused an earlier one.
  is_asked boolean not null default false,
  -- Why a mail did not arrive, in plain words.
  explanation text
);

-- How many mails of a sender are waiting.
create index mails_queued on mails (sender) where state = 'queued';
create index mails_by_about on mails (about) where about is not null;
create index mails_undelivered on mails (mail_id) where state in ('failed', 'held', 'bounced');
grant select, insert, update, delete on mails to turnpike_operator;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['files', 'documents', 'notifications'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I to turnpike_tenant
      using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
  end loop;
end
$$;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['files', 'documents', 'notifications'] loop
    execute format('create trigger tenant_exists before insert on %I for each row execute function assert_tenant_exists()', table_name);
  end loop;
end
$$;

-- What a deleted tenant had stays until it can no longer be restored. To its people it does not exist, as the tenant itself does
-- not: one rule in place of a condition in each query. It is asked once for a statement, not once for a row.
do $$
declare
  table_name text;
begin
  foreach table_name in array array['files', 'documents', 'notifications'] loop
    execute format('create policy open_tenants on %I as restrictive for select to turnpike_tenant
      using (exists (select from tenants t where t.tenant_id = current_tenant()))', table_name);
  end loop;
end
$$;

-- Who has read which notification: a reading hides it from no one else. `reader` is the type and id of an actor, such as 'user:usr_…'.
-- Those that were read before, in notifications.read_at, count as read by all.
create table notification_reads (
  tenant_id text not null,
  notification_id text not null,
  reader text not null,
  read_at timestamptz not null,
  primary key (tenant_id, notification_id, reader),
  foreign key (tenant_id, notification_id) references notifications on delete cascade
);
alter table notification_reads enable row level security;
alter table notification_reads force row level security;
create policy tenant_rows on notification_reads to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on notification_reads to turnpike_operator using (true) with check (true);
create policy open_tenants on notification_reads as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select, insert on notification_reads to turnpike_tenant;
grant select, insert, delete on notification_reads to turnpike_operator;

create table mail_attachments (
  mail_id text not null references mails on delete cascade,
  -- From 1.
  position int not null check (position > 0),
  name text not null,
  media_type text not null,
  bytes int not null,
  -- Null once a mail server has taken the mail.
  content bytea,
  primary key (mail_id, position)
);
grant select, insert, update, delete on mail_attachments to turnpike_operator;

-- Documents that were issued and are still to be mailed. A row goes in with its document, and out with the mails.
create table documents_to_mail (
  -- Of the invoice or the credit note.
  document_id text not null unique,
  tenant_id text not null,
  environment text not null check (environment in ('live', 'test')),
  invoice_id text not null,
  -- Null for the invoice itself.
  credit_note_id text,
  attempts int not null default 0,
  -- When it is tried next; a process that has it in hand puts this ahead.
  due_at timestamptz not null,
  -- Why the last attempt failed.
  last_error text,
  created_at timestamptz not null,
  primary key (tenant_id, document_id)
);
create index documents_to_mail_due on documents_to_mail (due_at);
create index documents_to_mail_failed on documents_to_mail (created_at) where last_error is not null;
alter table documents_to_mail enable row level security;
alter table documents_to_mail force row level security;
create policy operator_rows on documents_to_mail to turnpike_operator using (true) with check (true);
grant select, insert, update, delete on documents_to_mail to turnpike_operator;

-- Addresses that a server refused for good. Like mails they belong to the installation: the tenant role has no access at all.
create table refused_addresses (
  -- In lower case.
  address text primary key,
  explanation text not null,
  -- What the server wrote, in one line.
  answer text not null,
  refused_at timestamptz not null
);
grant select, insert, update, delete on refused_addresses to turnpike_operator;
