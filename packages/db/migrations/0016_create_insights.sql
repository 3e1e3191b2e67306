-- What changed and what needs attention, by its cause: the same cause is one row.
create table insights (
  tenant_id text not null references tenants on delete cascade,
  insight_id text not null,
  -- Kind and cause, such as "anomaly requests up key key_…".
  fingerprint text not null,
  kind text not null,
  -- Text, confidence, evidence and action, as in the contract package.
  facts jsonb not null,
  since timestamptz not null,
  -- When it was last found.
  seen_at timestamptz not null,
  ended_at timestamptz,
  dismissed_at timestamptz,
  is_useful boolean,
  rated_at timestamptz,
  -- When an insight was last shown as new; null for what was stored before, which counts from its beginning.
  opened_at timestamptz,
  primary key (tenant_id, insight_id),
  unique (tenant_id, fingerprint)
);
create index insights_open on insights (insight_id) where ended_at is null and dismissed_at is null;
alter table insights force row level security;
grant select, insert, update, delete on insights to turnpike_tenant;
grant select, delete on insights to turnpike_operator;

-- When a tenant's usage was last looked at, and how much of it there was.
create table insight_checks (
  tenant_id text primary key references tenants on delete cascade,
  checked_at timestamptz not null,
  history_hours int not null
);
grant select, insert, update on insight_checks to turnpike_tenant;
grant select, delete on insight_checks to turnpike_operator;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['insights', 'insight_checks'] loop
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

-- What changed over all tenants, by its cause. Only operators see it.
create table installation_insights (
  insight_id text primary key,
  fingerprint text not null unique,
  kind text not null,
  -- Text, confidence, evidence and action, as in the contract package.
  facts jsonb not null,
  since timestamptz not null,
  -- When it was last found.
  seen_at timestamptz not null,
  ended_at timestamptz,
  dismissed_at timestamptz,
  is_useful boolean,
  rated_at timestamptz
);
grant select, insert, update, delete on installation_insights to turnpike_operator;

-- When the usage of all tenants was last looked at, and how much of it there was.
create table installation_insight_check (
  is_only boolean primary key default true check (is_only),
  checked_at timestamptz not null,
  history_hours int not null
);
grant select, insert, update on installation_insight_check to turnpike_operator;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['installation_insights', 'installation_insight_check'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
  end loop;
end
$$;

-- Who is mailed what changed in a tenant, and how often. No row: never.
create table insight_digests (
  tenant_id text not null references tenants on delete cascade,
  user_id text not null,
  frequency text not null check (frequency in ('daily', 'weekly')),
  -- A name of the IANA database: the reader's.
  time_zone text not null,
  -- Earlier changes were told of.
  told_to timestamptz not null,
  next_at timestamptz not null,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references members on delete cascade
);

-- Those that are due.
create index insight_digests_due on insight_digests (next_at);

-- Those of a person.
create index insight_digests_by_user on insight_digests (user_id);
alter table insight_digests enable row level security;
alter table insight_digests force row level security;
create policy tenant_rows on insight_digests to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on insight_digests to turnpike_operator using (true) with check (true);
create policy open_tenants on insight_digests as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select, insert, update, delete on insight_digests to turnpike_tenant;
grant select, update, delete on insight_digests to turnpike_operator;

-- What was forecast of a period, once a day, to be compared with what came.
create table kept_forecasts (
  tenant_id text not null references tenants on delete cascade,
  -- A meter, such as "meter:requests", or "invoice".
  measure text not null,
  made_on date not null,
  period_from timestamptz not null,
  period_to timestamptz not null,
  -- Of an invoice; amounts are in minor units then.
  currency text,
  mean numeric not null,
  lower80 numeric not null,
  upper80 numeric not null,
  -- What came; null until it is known.
  actual numeric,
  primary key (tenant_id, measure, made_on)
);

-- Those whose period is over and not compared yet.
create index kept_forecasts_open on kept_forecasts (tenant_id, period_to) where actual is null;
alter table kept_forecasts enable row level security;
alter table kept_forecasts force row level security;
create policy tenant_rows on kept_forecasts to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on kept_forecasts to turnpike_operator using (true) with check (true);
create policy open_tenants on kept_forecasts as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select, insert, update, delete on kept_forecasts to turnpike_tenant;
grant select, delete on kept_forecasts to turnpike_operator;

-- Changes that programs propose and people decide on.
create table proposals (
  tenant_id text not null references tenants on delete cascade,
  proposal_id text not null,
  -- As in the contract package.
  change jsonb not null,
  reason text not null,
  -- Kind and id of the actor.
  proposed_by text not null,
  -- Open until decided on; expired when open after its time.
  state text not null check (state in ('open', 'accepted', 'declined')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  primary key (tenant_id, proposal_id)
);
alter table proposals enable row level security;
alter table proposals force row level security;
create policy tenant_rows on proposals to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on proposals to turnpike_operator using (true) with check (true);
create policy open_tenants on proposals as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select, insert, update, delete on proposals to turnpike_tenant;
grant select, delete on proposals to turnpike_operator;

-- What was advised on the plan of a tenant in a month: its usage is tried on every plan once a month, and again when the plan changes.
create table kept_plan_advice (
  tenant_id text primary key references tenants on delete cascade,
  -- Its first day, by UTC.
  month date not null,
  plan_id text not null,
  plan_version int not null,
  made_at timestamptz not null,
  -- Null when nothing is worth telling.
  text text
);
alter table kept_plan_advice enable row level security;
alter table kept_plan_advice force row level security;
create policy tenant_rows on kept_plan_advice to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on kept_plan_advice to turnpike_operator using (true) with check (true);
create policy open_tenants on kept_plan_advice as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select, insert, update on kept_plan_advice to turnpike_tenant;
grant select, delete on kept_plan_advice to turnpike_operator;

-- What tenants had a language model read and write, by UTC days: reserved before a call, corrected after it.
create table model_tokens (
  tenant_id text not null references tenants on delete cascade,
  day date not null,
  tokens bigint not null check (tokens >= 0),
  primary key (tenant_id, day)
);
alter table model_tokens enable row level security;
alter table model_tokens force row level security;
create policy tenant_rows on model_tokens to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on model_tokens to turnpike_operator using (true) with check (true);
create policy open_tenants on model_tokens as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select, insert, update, delete on model_tokens to turnpike_tenant;
grant select, delete on model_tokens to turnpike_operator;

-- Whether a language model may be asked at all. No row: it may.
create table model_switch (
  singleton boolean primary key default true check (singleton),
  is_on boolean not null,
  changed_at timestamptz not null
);
alter table model_switch enable row level security;
alter table model_switch force row level security;
create policy operator_rows on model_switch to turnpike_operator using (true) with check (true);
create policy readable on model_switch for select to turnpike_tenant using (true);
grant select on model_switch to turnpike_tenant;
grant select, insert, update on model_switch to turnpike_operator;
