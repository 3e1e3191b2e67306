-- Webhooks. `tenant_id` is whose endpoint it is; 'operator' for those of the installation, which hear of every tenant.
create table webhook_endpoints (
  tenant_id text not null,
  webhook_id text not null,
  url text not null,
  description text not null,
  -- Types of events it hears of; '*' for all.
  event_types text[] not null check (cardinality(event_types) > 0),
  state text not null check (state in ('enabled', 'disabled', 'auto_disabled', 'paused')),
  -- Why it was disabled by itself.
  disabled_reason text,
  -- Encrypted. The one before signs as well until its time is over.
  secret text not null,
  earlier_secrets jsonb not null default '[]',
  -- Since the first failure after which nothing succeeded.
  failing_since timestamptz,
  -- It asked for patience: nothing is sent before.
  paused_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The last failure of the row that began at failing_since: one long after it is no part of it.
  last_failed_at timestamptz,
  -- The actor who added the endpoint or enabled it last, such as 'user:usr_…'. When that person may no
  -- longer write webhooks, the endpoint is paused until someone else enables it.
  responsible text,
  primary key (tenant_id, webhook_id)
);

-- Endpoints of the installation itself belong to no tenant.
create trigger tenant_exists before insert on webhook_endpoints
  for each row when (new.tenant_id <> 'operator') execute function assert_tenant_exists();
grant select, insert, update, delete on webhook_endpoints to turnpike_tenant, turnpike_operator;

-- What happened and was not yet handed to the endpoints that hear of it: written in the transaction of the change.
create table webhook_outbox (
  tenant_id text not null,
  message_id text not null,
  event_type text not null,
  -- Byte for byte what is sent and signed.
  payload text not null,
  created_at timestamptz not null,
  primary key (tenant_id, message_id)
);

-- Handed on in the order in which it happened.
create index webhook_outbox_by_id on webhook_outbox (message_id);
grant insert on webhook_outbox to turnpike_tenant;
grant select, insert, update, delete on webhook_outbox to turnpike_operator;

-- A message on its way to one endpoint. `message_id` is what the receiver sees, the same in every attempt.
create table webhook_deliveries (
  tenant_id text not null,
  webhook_id text not null,
  message_id text not null,
  event_type text not null,
  payload text not null,
  state text not null check (state in ('pending', 'succeeded', 'failed')),
  -- Attempts ever made, and of those the failed ones since the schedule began.
  attempts int not null default 0,
  failed_attempts int not null default 0,
  next_attempt_at timestamptz not null,
  -- A process that has it in its hands gives it back until then, or was killed.
  claimed_until timestamptz,
  last_status int,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (tenant_id, webhook_id, message_id),
  foreign key (tenant_id, webhook_id) references webhook_endpoints on delete cascade
);

-- What is due, endpoint by endpoint: one that answers to nothing must not hold up the others.
create index webhook_deliveries_due on webhook_deliveries (tenant_id, webhook_id, next_attempt_at) where state = 'pending';

-- What failed, for the log and for what begins it anew.
create index webhook_deliveries_failed on webhook_deliveries (tenant_id, webhook_id, message_id) where state = 'failed';

-- How many an endpoint has in hand.
create index webhook_deliveries_claimed on webhook_deliveries (tenant_id, webhook_id) where claimed_until is not null;

-- What is old is deleted.
create index webhook_deliveries_by_age on webhook_deliveries (created_at);
grant select, insert, update on webhook_deliveries to turnpike_tenant;
grant select, insert, update, delete on webhook_deliveries to turnpike_operator;

create table webhook_attempts (
  tenant_id text not null,
  webhook_id text not null,
  message_id text not null,
  attempt int not null,
  started_at timestamptz not null,
  duration_ms int not null,
  -- Null when no answer came: then `error` says why.
  status int,
  error text,
  -- The beginning of the answer.
  response text not null check (length(response) <= 1024),
  primary key (tenant_id, webhook_id, message_id, attempt),
  foreign key (tenant_id, webhook_id, message_id) references webhook_deliveries on delete cascade
);
grant select on webhook_attempts to turnpike_tenant;
grant select, insert, delete on webhook_attempts to turnpike_operator;

do $$
declare
  table_name text;
begin
  foreach table_name in array array[
    'webhook_endpoints', 'webhook_outbox', 'webhook_deliveries', 'webhook_attempts'
  ] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I to turnpike_tenant
      using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
  end loop;
end
$$;

-- What a deleted tenant had stays until it can no longer be restored. To its people it does not exist, as the tenant itself does
-- not: one rule in place of a condition in each query. It is asked once for a statement, not once for a row.
do $$
declare
  table_name text;
begin
  foreach table_name in array array['webhook_endpoints', 'webhook_deliveries', 'webhook_attempts'] loop
    execute format('create policy open_tenants on %I as restrictive for select to turnpike_tenant
      using (exists (select from tenants t where t.tenant_id = current_tenant()))', table_name);
  end loop;
end
$$;
