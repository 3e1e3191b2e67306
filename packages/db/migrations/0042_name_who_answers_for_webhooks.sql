-- The actor who added the endpoint or enabled it last, such as 'user:usr_…'; null for endpoints from before. When that person may no
-- longer write webhooks, the endpoint is paused until someone else enables it.
alter table webhook_endpoints add column responsible text;
alter table webhook_endpoints drop constraint webhook_endpoints_state_check;
alter table webhook_endpoints add constraint webhook_endpoints_state_check
  check (state in ('enabled', 'disabled', 'auto_disabled', 'paused'));
