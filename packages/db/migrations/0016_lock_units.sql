-- Units reserved for a call whose cost is known only at its end. A lock outlives the process that made it: any process may
-- end it, once, and after its time it lapses.
create table locks (
  tenant_id text not null,
  lock_id text not null,
  -- The key that was verified, and the first of its line.
  key_id text not null,
  origin_key_id text not null,
  meter_id text not null,
  environment text not null,
  -- Template of the path that was named; null when none was.
  route text,
  -- The billing period in which the call was admitted: its cost counts there, whenever it is known.
  period_start timestamptz not null,
  period_end timestamptz not null,
  -- Whole units.
  reserved bigint not null check (reserved > 0),
  -- The leases that hold the units of the tenant's hard limit and of the key's own; null where there is no such limit.
  lease_id text,
  key_lease_id text,
  state text not null check (state in ('open', 'settled', 'released', 'lapsed')),
  -- What it came to, and the group of the ledger that says so, once it is settled.
  cost bigint check (cost >= 0),
  group_id text,
  -- Kind and id of who asked.
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  primary key (tenant_id, lock_id),
  -- Who settles or releases names the lock alone.
  unique (lock_id),
  check ((state = 'settled') = (cost is not null)),
  check ((state = 'settled') = (group_id is not null)),
  check ((state = 'open') = (ended_at is null))
);
-- How many a tenant has open is bounded.
create index locks_open_by_tenant on locks (tenant_id) where state = 'open';
-- What lapses, and what is forgotten.
create index locks_open_by_expiry on locks (expires_at) where state = 'open';
create index locks_by_end on locks (ended_at) where state <> 'open';

alter table locks enable row level security;
alter table locks force row level security;
create policy tenant_rows on locks for select to turnpike_tenant using (tenant_id = current_tenant());
create policy meter_rows on locks to turnpike_meter using (true) with check (true);
create policy operator_rows on locks for select to turnpike_operator using (true);
grant select, insert, update, delete on locks to turnpike_meter;
grant select on locks to turnpike_tenant, turnpike_operator;

-- A lease of a lock is nobody's to spend: it stands in no process's memory and is forfeited with none.
alter table leases drop constraint leases_state_check;
alter table leases add constraint leases_state_check check (state in ('active', 'forfeited', 'locked'));
