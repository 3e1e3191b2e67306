-- Processes that meter. A process that is gone is known by its stale heartbeat.
create table processes (
  process_id text primary key,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  stopped_at timestamptz
);

-- One row a committed group: what makes the replay of a journal idempotent.
create table ledger_groups (
  group_id text primary key,
  process_id text not null,
  recorded_at timestamptz not null,
  -- When the row was written; old ones are deleted, because no journal is replayed after that long.
  claimed_at timestamptz not null default now()
);
create index ledger_groups_by_claim on ledger_groups (claimed_at);

-- The ledger. One row per commit, key, meter, outcome, status and minute; never updated. Groups committed together are
-- summed, and the row bears the id of the first of them.
create table ledger_entries (
  tenant_id text not null,
  entry_id bigint generated always as identity,
  group_id text not null,
  -- Minute of the calls; places them on charts.
  occurred_at timestamptz not null,
  -- When the group was committed; places them on invoices.
  recorded_at timestamptz not null,
  -- Start of the billing period whose balance the quantity was taken from.
  period_start timestamptz not null,
  meter_id text not null,
  environment text not null,
  key_id text not null,
  outcome text not null,
  -- HTTP status of the answer.
  status smallint not null,
  calls bigint not null check (calls > 0),
  -- Billable units of the meter.
  quantity numeric not null check (quantity >= 0),
  primary key (tenant_id, entry_id)
);
-- Reconcile and invoices sum a period.
create index ledger_entries_by_period on ledger_entries (tenant_id, meter_id, environment, period_start);
-- Reconcile compares minutes with rollups.
create index ledger_entries_by_minute on ledger_entries (tenant_id, occurred_at);

-- Sums of the ledger by minute; what charts read.
create table usage_rollups (
  tenant_id text not null,
  occurred_at timestamptz not null,
  meter_id text not null,
  environment text not null,
  key_id text not null,
  outcome text not null,
  status smallint not null,
  calls bigint not null,
  quantity numeric not null,
  primary key (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status)
);

-- What a tenant has used of a meter in a billing period; what limits are cut from.
create table balances (
  tenant_id text not null,
  meter_id text not null,
  environment text not null,
  period_start timestamptz not null,
  period_end timestamptz not null,
  used numeric not null check (used >= 0),
  primary key (tenant_id, meter_id, environment, period_start)
);

-- Slices of balances that a process may spend without asking. `remaining` falls as groups are committed.
create table leases (
  tenant_id text not null,
  lease_id text not null,
  meter_id text not null,
  environment text not null,
  period_start timestamptz not null,
  process_id text not null,
  state text not null check (state in ('active', 'forfeited')),
  granted numeric not null check (granted >= 0),
  remaining numeric not null check (remaining >= 0),
  -- By this server's clock; the holder stops earlier by its own.
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (tenant_id, lease_id)
);
create index leases_by_balance on leases (tenant_id, meter_id, environment, period_start);
create index leases_by_process on leases (process_id);
create index leases_by_expiry on leases (expires_at) where state = 'active';

do $$
declare
  table_name text;
begin
  foreach table_name in array array['ledger_entries', 'usage_rollups', 'balances', 'leases'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I for select to turnpike_tenant using (tenant_id = current_tenant())', table_name);
    execute format('create policy meter_rows on %I to turnpike_meter using (true) with check (true)', table_name);
    execute format('create policy operator_rows on %I for select to turnpike_operator using (true)', table_name);
  end loop;
end
$$;

-- The ledger is only ever added to.
grant select, insert on ledger_entries, ledger_groups to turnpike_meter;
grant delete on ledger_groups to turnpike_meter;
grant select, insert, update on usage_rollups, balances to turnpike_meter;
grant select, insert, update, delete on leases, processes to turnpike_meter;
grant select on ledger_entries, usage_rollups, balances, leases to turnpike_tenant, turnpike_operator;
grant select on ledger_groups, processes to turnpike_operator;
