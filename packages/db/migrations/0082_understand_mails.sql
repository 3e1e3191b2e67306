-- What a mail says, part by part: its text and its HTML are written from it. The column `html` is of earlier versions.
alter table mails add column content jsonb;
-- The entity that a mail is about, such as an invitation.
alter table mails add column about text;
-- True for a mail that its recipient asked for, and waits for: it is also sent to an address that refused an earlier one.
alter table mails add column is_asked boolean not null default false;
-- Why a mail did not arrive, in plain words.
alter table mails add column explanation text;
-- `held`: its address refused an earlier one for good. `bounced`: taken by a server, and reported as undeliverable later.
alter table mails drop constraint mails_state_check;
alter table mails add constraint mails_state_check check (state in ('queued', 'sent', 'failed', 'held', 'bounced'));
create index mails_by_about on mails (about) where about is not null;
create index mails_undelivered on mails (mail_id) where state in ('failed', 'held', 'bounced');

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
