-- What the provider could not charge for itself is charged with one attempt of an account, also where two invoices are collected at once.
alter table payment_attempts add column carries boolean not null default false;

update payment_attempts a set carries = true
where a.attempt_id in (
  select min(attempt_id) from payment_attempts
  where cause <> 'person' and state in ('pending', 'action_required', 'processing', 'unknown')
  group by tenant_id, environment
);

create unique index payment_attempts_carrying on payment_attempts (tenant_id, environment)
  where carries and state in ('pending', 'action_required', 'processing', 'unknown');
