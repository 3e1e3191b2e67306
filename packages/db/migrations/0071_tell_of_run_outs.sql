-- When members get a notice of what is forecast to run out, and which roles get it by mail. No row: the default.
create table run_out_alert_settings (
  tenant_id text primary key references tenants on delete cascade,
  -- How long before. Null: no notices.
  days int,
  mail_roles text[] not null,
  updated_at timestamptz not null
);

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
grant select, insert, update on run_out_alert_settings to turnpike_tenant;
grant select, delete on run_out_alert_settings to turnpike_operator;
grant select, insert, update, delete on run_out_alert_states to turnpike_operator;
