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
  primary key (tenant_id, insight_id),
  unique (tenant_id, fingerprint)
);
create index insights_open on insights (insight_id) where ended_at is null and dismissed_at is null;

-- When a tenant's usage was last looked at, and how much of it there was.
create table insight_checks (
  tenant_id text primary key references tenants on delete cascade,
  checked_at timestamptz not null,
  history_hours int not null
);

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
grant select, insert, update, delete on insights to turnpike_tenant;
grant select, delete on insights to turnpike_operator;
grant select, insert, update on insight_checks to turnpike_tenant;
grant select, delete on insight_checks to turnpike_operator;
