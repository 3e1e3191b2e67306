-- Looks in a row at which the question of an alert took too long: the database may only be busy.
alter table alerts add column timeouts int not null default 0;
-- The highest share that was told in the period, whatever the limit was then, in percent; of rows from before it is `threshold`.
alter table quota_alert_states add column highest int not null default 0;
