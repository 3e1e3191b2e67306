-- Alerts: a question about usage, asked again and again, and the state in which its answers left it.
create table alerts (
  tenant_id text not null references tenants on delete cascade,
  alert_id text not null,
  name text not null,
  -- AlertQuery of the contract package: a measure, and filters by name.
  query jsonb not null,
  window_minutes int not null check (window_minutes > 0),
  -- AlertCondition of the domain package.
  condition jsonb not null,
  for_evaluations int not null check (for_evaluations > 0),
  -- Null: told once.
  renotify_minutes int check (renotify_minutes > 0),
  -- Members with one of these roles get mail.
  mail_roles text[] not null,
  paused_at timestamptz,
  -- Null: until it is resumed.
  paused_until timestamptz,
  phase text not null check (phase in ('ok', 'pending', 'firing')),
  phase_since timestamptz,
  streak int not null,
  -- End of the last window that was looked at.
  evaluated_to timestamptz,
  -- When it was last told that it fires.
  notice_at timestamptz,
  last_value double precision,
  last_previous double precision,
  last_error text,
  -- Not looked at before.
  next_evaluation_at timestamptz not null,
  -- A process that looks at it gives it back until then, or was killed.
  claimed_until timestamptz,
  -- Counts claims and changes: a decision on an older one was about something else.
  revision bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Looks in a row at which the question of an alert took too long: the database may only be busy.
  timeouts int not null default 0,
  primary key (tenant_id, alert_id)
);

-- What is due, over all tenants; those that are paused for good are not in it.
create index alerts_due on alerts (next_evaluation_at) where paused_at is null or paused_until is not null;
grant select, insert, update, delete on alerts to turnpike_tenant, turnpike_operator;

-- What was told, and what was done to an alert.
create table alert_events (
  tenant_id text not null,
  alert_id text not null,
  alert_event_id text not null,
  happened_at timestamptz not null,
  what text not null,
  value double precision,
  note text not null,
  primary key (tenant_id, alert_id, alert_event_id),
  foreign key (tenant_id, alert_id) references alerts on delete cascade
);

-- What is old is deleted.
create index alert_events_by_age on alert_events (happened_at);
grant select, insert on alert_events to turnpike_tenant;
grant select, insert, delete on alert_events to turnpike_operator;

-- The shares of quotas at which a notice is sent; a tenant without a row has the defaults.
create table quota_alert_settings (
  tenant_id text primary key references tenants on delete cascade,
  -- Percent, ascending.
  thresholds int[] not null,
  mail_roles text[] not null,
  updated_at timestamptz not null
);
grant select, insert, update on quota_alert_settings to turnpike_tenant;
grant select, delete on quota_alert_settings to turnpike_operator;

-- What was told of each quota.
create table quota_alert_states (
  tenant_id text not null references tenants on delete cascade,
  meter_id text not null,
  environment text not null,
  period_start timestamptz not null,
  -- In units of the meter, when it was decided.
  quota_limit double precision not null,
  -- Percent; 0: nothing was told.
  threshold int not null,
  decided_at timestamptz not null,
  -- The highest share of which a notice was sent in the period, in percent; the limit may have changed since.
  highest int not null default 0,
  primary key (tenant_id, meter_id, environment)
);
grant select, insert, update, delete on quota_alert_states to turnpike_operator;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['alerts', 'alert_events', 'quota_alert_settings', 'quota_alert_states'] loop
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
  foreach table_name in array array['alerts', 'quota_alert_settings'] loop
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
  foreach table_name in array array['alerts', 'alert_events', 'quota_alert_settings'] loop
    execute format('create policy open_tenants on %I as restrictive for select to turnpike_tenant
      using (exists (select from tenants t where t.tenant_id = current_tenant()))', table_name);
  end loop;
end
$$;

-- When members get a notice of what is forecast to run out, and which roles get it by mail. No row: the default.
create table run_out_alert_settings (
  tenant_id text primary key references tenants on delete cascade,
  -- How long before. Null: no notices.
  days int,
  mail_roles text[] not null,
  updated_at timestamptz not null
);
grant select, insert, update on run_out_alert_settings to turnpike_tenant;
grant select, delete on run_out_alert_settings to turnpike_operator;

-- Notices that were sent.
create table run_out_alert_states (
  tenant_id text not null references tenants on delete cascade,
  -- What runs out, such as "quota requests", "spend_cap" or "credit".
  what text not null,
  -- The end of the period of the last notice; null for what has no period.
  resets_at timestamptz,
  told_at timestamptz not null,
  primary key (tenant_id, what)
);
grant select, insert, update, delete on run_out_alert_states to turnpike_operator;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['run_out_alert_settings', 'run_out_alert_states'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I to turnpike_tenant
      using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
    execute format('create policy open_tenants on %I as restrictive for select to turnpike_tenant
      using (exists (select from tenants t where t.tenant_id = current_tenant()))', table_name);
  end loop;
end
$$;
