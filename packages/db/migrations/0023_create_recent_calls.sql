-- Recent calls as they were, for people who look for one of them. No number is made from this: the ledger counts, and a call that is
-- missing here is in it all the same.
create table recent_calls (
  tenant_id text not null,
  -- Begins with the millisecond in which the request began, so it is the order and the age of a row as well.
  request_id text collate "C" not null,
  -- When its outcome was known.
  occurred_at timestamptz not null,
  key_id text not null,
  environment text not null,
  meter_id text not null,
  -- Billable units; 0 for a call that was not billed.
  quantity bigint not null,
  -- As of usage_rollups.
  method text not null,
  route text not null,
  status smallint not null,
  outcome text not null,
  -- Milliseconds; null, like the bytes, where nothing was measured.
  latency_ms double precision,
  bytes_in bigint,
  bytes_out bigint,
  primary key (tenant_id, request_id)
);
-- Housekeeping looks for the oldest ones of all tenants.
create index recent_calls_by_age on recent_calls (request_id);

-- How many calls of a minute are not among them, because they came faster than they are kept.
create table omitted_calls (
  tenant_id text not null,
  minute timestamptz not null,
  calls bigint not null check (calls > 0),
  primary key (tenant_id, minute)
);
-- Housekeeping looks for the oldest ones of all tenants.
create index omitted_calls_by_age on omitted_calls (minute);

do $$
declare
  table_name text;
begin
  foreach table_name in array array['recent_calls', 'omitted_calls'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I for select to turnpike_tenant using (tenant_id = current_tenant())', table_name);
    execute format('create policy open_tenants on %I as restrictive for select to turnpike_tenant
      using (exists (select from tenants t where t.tenant_id = current_tenant()))', table_name);
    execute format('create policy meter_rows on %I to turnpike_meter using (true) with check (true)', table_name);
    execute format('create policy operator_rows on %I for select to turnpike_operator using (true)', table_name);
    execute format('grant select on %I to turnpike_tenant, turnpike_operator', table_name);
    execute format('grant select, insert, update, delete on %I to turnpike_meter', table_name);
  end loop;
end
$$;
