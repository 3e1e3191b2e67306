-- After a change from a plan that is paid afterwards, calls draw on credit once all that was used on it is counted.
alter table spend_budgets add column settles_at timestamptz;
