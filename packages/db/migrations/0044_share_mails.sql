-- Whose mail it is, for the order in which mails are sent: the id of a tenant, or empty for a mail of the installation itself,
-- such as that of a new password.
alter table mails add column sender text not null default '';
-- How many mails of a sender are waiting.
create index mails_queued on mails (sender) where state = 'queued';
