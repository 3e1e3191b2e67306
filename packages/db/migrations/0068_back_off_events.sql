-- Events that cannot be applied are tried ever later, and once a day when they are given up: they keep no other one waiting.
alter table provider_events
  -- How often it could not be applied, but for times when the provider did not answer.
  add column tries int not null default 0,
  -- When it is taken up again; null once it is applied.
  add column try_at timestamptz,
  add column given_up_at timestamptz,
  add check (applied_at is null or (try_at is null and given_up_at is null));
update provider_events set try_at = received_at + interval '15 minutes' where applied_at is null;
drop index provider_events_waiting;
create index provider_events_waiting on provider_events (try_at) where try_at is not null;
create index provider_events_given_up on provider_events (received_at) where given_up_at is not null;

-- When a customer set up the newest method: a notice of an older one that comes late does not put that in force again.
alter table payment_customers add column set_up_at timestamptz;
