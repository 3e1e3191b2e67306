-- A mail may have a part in HTML beside its text, and files.
alter table mails add column html text;
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
