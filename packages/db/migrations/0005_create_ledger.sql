-- Processes that meter. A process that is gone is known by its stale heartbeat.
create table processes (
  process_id text primary key,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  stopped_at timestamptz
);
grant select on processes to turnpike_operator;
grant select, insert, update, delete on processes to turnpike_meter;

-- One row a committed group: what makes the replay of a journal idempotent.
create table ledger_groups (
  group_id text primary key,
  process_id text not null,
  -- When the row was written; old ones are deleted, because no journal is replayed after that long.
  claimed_at timestamptz not null default now()
);
create index ledger_groups_by_claim on ledger_groups (claimed_at);
grant select on ledger_groups to turnpike_operator;
grant select, insert, delete on ledger_groups to turnpike_meter;

-- Numbers of entries, of all partitions together.
create sequence ledger_entry_ids;
grant usage on sequence ledger_entry_ids to turnpike_meter;

-- The ledger. One row per commit, key, meter, outcome, status and minute; never updated. Groups committed together are
-- summed, and the row bears the id of the first of them. Keys whose entries are otherwise alike share a row: a commit of many
-- keys writes a hundredth of the rows, and the ledger, which is kept for years, takes a fifth of the room.
create table ledger_entries (
  tenant_id text not null,
  entry_id bigint not null default nextval('ledger_entry_ids'),
  group_id text not null,
  -- Minute of the calls; places them on charts.
  occurred_at timestamptz not null,
  -- When the group was committed; places them on invoices.
  recorded_at timestamptz not null,
  -- Start of the billing period whose balance the quantity was taken from.
  period_start timestamptz not null,
  meter_id text not null,
  environment text not null,
  -- Of one key. Null where the row is of several; calls and quantity are then the sums of theirs.
  key_id text,
  outcome text not null,
  -- HTTP status of the answer.
  status smallint not null,
  calls bigint not null check (calls > 0),
  -- Billable units of the meter.
  quantity numeric not null check (quantity >= 0),
  -- At each place a key, its calls and its quantity. Null where the row is of one key.
  key_ids text[],
  key_calls bigint[],
  key_quantities numeric[],
  primary key (tenant_id, recorded_at, entry_id),
  constraint ledger_entries_keys check (
    case
      when key_id is null then cardinality(key_ids) > 1 and cardinality(key_ids) = cardinality(key_calls)
        and cardinality(key_ids) = cardinality(key_quantities)
      else num_nonnulls(key_ids, key_calls, key_quantities) = 0
    end is true
  )
) partition by range (recorded_at);
-- Where no month has been made: a commit is never refused for that.
create table ledger_entries_default partition of ledger_entries default;
-- In the row, compressed: elsewhere they would be rows and places in an index of their own.
alter table ledger_entries
  alter column key_ids set storage main,
  alter column key_calls set storage main,
  alter column key_quantities set storage main;

-- Reconcile and invoices sum a period.
create index ledger_entries_by_period on ledger_entries (tenant_id, meter_id, environment, period_start);

-- Reconcile compares minutes with rollups.
create index ledger_entries_by_minute on ledger_entries (tenant_id, occurred_at);

-- The ledger is only ever added to.
grant select on ledger_entries to turnpike_tenant, turnpike_operator;
grant select, insert on ledger_entries to turnpike_meter;

-- What a tenant has used of a meter in a billing period; what limits are cut from.
create table balances (
  tenant_id text not null,
  meter_id text not null,
  environment text not null,
  period_start timestamptz not null,
  period_end timestamptz not null,
  used numeric not null check (used >= 0),
  primary key (tenant_id, meter_id, environment, period_start)
) with (fillfactor = 50);

-- Balances of running periods, in an order in which they can be read page by page.
create index balances_by_end on balances (period_end, tenant_id, meter_id, environment);
grant select on balances to turnpike_tenant, turnpike_operator;
grant select, insert, update on balances to turnpike_meter;

-- Slices of balances that a process may spend without asking. `remaining` falls as groups are committed.
create table leases (
  tenant_id text not null,
  lease_id text not null,
  meter_id text not null,
  environment text not null,
  period_start timestamptz not null,
  process_id text not null,
  state text not null check (state in ('active', 'forfeited', 'locked')),
  granted numeric not null check (granted >= 0),
  remaining numeric not null check (remaining >= 0),
  -- By this server's clock; the holder stops earlier by its own.
  expires_at timestamptz not null,
  created_at timestamptz not null,
  -- Null: a slice of the tenant's own balance. Otherwise of the balance of this line of keys.
  key_id text,
  primary key (tenant_id, lease_id)
);
create index leases_by_process on leases (process_id);
create index leases_by_expiry on leases (expires_at) where state = 'active';
create index leases_by_balance on leases (tenant_id, meter_id, environment, period_start, key_id);
grant select on leases to turnpike_tenant, turnpike_operator;
grant select, insert, update, delete on leases to turnpike_meter;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['ledger_entries', 'balances', 'leases'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I for select to turnpike_tenant using (tenant_id = current_tenant())', table_name);
    execute format('create policy meter_rows on %I to turnpike_meter using (true) with check (true)', table_name);
    execute format('create policy operator_rows on %I for select to turnpike_operator using (true)', table_name);
  end loop;
end
$$;

-- What the keys of a line have used of a meter in a billing period; what the quotas of keys are cut from.
create table key_balances (
  tenant_id text not null,
  -- The first key of its line.
  key_id text not null,
  meter_id text not null,
  period_start timestamptz not null,
  period_end timestamptz not null,
  used numeric not null check (used >= 0),
  primary key (tenant_id, key_id, meter_id, period_start)
) with (fillfactor = 50);
alter table key_balances enable row level security;
alter table key_balances force row level security;
create policy tenant_rows on key_balances for select to turnpike_tenant using (tenant_id = current_tenant());
create policy meter_rows on key_balances to turnpike_meter using (true) with check (true);
create policy operator_rows on key_balances for select to turnpike_operator using (true);
grant select on key_balances to turnpike_tenant, turnpike_operator;
grant select, insert, update on key_balances to turnpike_meter;

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

-- What lapses, and what is forgotten.
create index locks_open_by_expiry on locks (expires_at) where state = 'open';
create index locks_by_end on locks (ended_at) where state <> 'open';
alter table locks enable row level security;
alter table locks force row level security;
create policy tenant_rows on locks for select to turnpike_tenant using (tenant_id = current_tenant());
create policy meter_rows on locks to turnpike_meter using (true) with check (true);
create policy operator_rows on locks for select to turnpike_operator using (true);

-- Locks past their time stay open until they are swept: counting those that count must not walk over all of them.
create index locks_open_by_tenant_and_expiry on locks (tenant_id, expires_at) where state = 'open';
grant select on locks to turnpike_tenant, turnpike_operator;
grant select, insert, update, delete on locks to turnpike_meter;

-- Usage that is in the ledger and not yet in the rollups of minutes and hours. Who records usage adds rows and changes none: what a
-- key does in a minute comes in many commits, and to change its minute and its hour in each of them was most of what a commit
-- cost. A job adds what has gathered here to the rollups.
create table recent_usage (
  tenant_id text not null,
  row_id bigint generated always as identity,
  -- Minute of the calls.
  occurred_at timestamptz not null,
  meter_id text not null,
  environment text not null,
  outcome text not null,
  status smallint not null,
  method text not null,
  route text not null,
  -- Of so many keys one row, or the row itself would cost more than what is in it: at each place a key, and what it did.
  key_ids text[] not null,
  calls bigint[] not null,
  quantities numeric[] not null,
  -- Empty where it is 0 of all keys.
  bytes_in bigint[] not null,
  bytes_out bigint[] not null,
  -- Of each key the literal of an array, as arrays of arrays would have to be of one length.
  latency_buckets text[] not null,
  latency_counts text[] not null,
  -- True when the minutes have it, summed by minute: the hours take it later, and then it goes.
  in_minutes boolean not null default false,
  -- The billing period to whose balances of keys it is owed, each key being the first of its line; not to those of limited keys,
  -- which have it already. Null: nothing is owed.
  period_start timestamptz,
  period_end timestamptz,
  primary key (tenant_id, row_id),
  check (
    cardinality(key_ids) = cardinality(calls) and cardinality(key_ids) = cardinality(quantities)
    and cardinality(bytes_in) in (0, cardinality(key_ids)) and cardinality(bytes_out) in (0, cardinality(key_ids))
    and cardinality(latency_buckets) in (0, cardinality(key_ids))
    and cardinality(latency_counts) = cardinality(latency_buckets)
  ),
  constraint recent_usage_period check (num_nulls(period_start, period_end) in (0, 2))
) with (
  -- A row of many keys stays whole in its page: it is read as a whole, and gone in minutes.
  toast_tuple_target = 8160,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000
);
create index recent_usage_for_minutes on recent_usage (tenant_id, row_id) where not in_minutes;
alter table recent_usage enable row level security;
alter table recent_usage force row level security;
create policy tenant_rows on recent_usage for select to turnpike_tenant using (tenant_id = current_tenant());
create policy meter_rows on recent_usage to turnpike_meter using (true) with check (true);
create policy operator_rows on recent_usage for select to turnpike_operator using (true);

-- What is looked for in recent usage and in rows of several keys is found without reading all of them.

-- Hours are rolled up a bounded number of rows at a time, in this order: without it each time all that wait would be sorted.
create index recent_usage_for_hours on recent_usage (tenant_id, (key_ids[1]) collate "C", row_id) where in_minutes;

-- A question about the past passes what is recent by, also while much of it is dead and kept for an open snapshot.
create index recent_usage_by_time on recent_usage (occurred_at, tenant_id);
-- Up to which number rows are rolled up, without looking for the last of them.
grant select on sequence recent_usage_row_id_seq to turnpike_meter;
grant select on recent_usage to turnpike_tenant, turnpike_operator;
grant select, insert, delete on recent_usage to turnpike_meter;

-- One row for each key of recent usage.
create view recent_usage_of_keys with (security_invoker = true) as
select p.tenant_id, p.in_minutes, p.occurred_at, p.meter_id, p.environment, k.key_id, p.outcome,
  p.status, p.method, p.route, k.calls, k.quantity, coalesce(k.bytes_in, 0) as bytes_in, coalesce(k.bytes_out, 0) as bytes_out,
  coalesce(k.latency_buckets, '{}')::smallint[] as latency_buckets, coalesce(k.latency_counts, '{}')::bigint[] as latency_counts
from recent_usage p cross join lateral
  unnest(p.key_ids, p.calls, p.quantities, p.bytes_in, p.bytes_out, p.latency_buckets, p.latency_counts)
    as k (key_id, calls, quantity, bytes_in, bytes_out, latency_buckets, latency_counts);
grant select on recent_usage_of_keys to turnpike_tenant, turnpike_operator, turnpike_meter;

-- One row for each entry.
create view ledger_entries_of_keys with (security_invoker = true) as
select e.tenant_id, e.entry_id, e.group_id, e.occurred_at, e.recorded_at, e.period_start, e.meter_id, e.environment, k.key_id,
  e.outcome, e.status, k.calls, k.quantity
from ledger_entries e cross join lateral unnest(
  coalesce(e.key_ids, array[e.key_id]), coalesce(e.key_calls, array[e.calls]), coalesce(e.key_quantities, array[e.quantity])
) as k (key_id, calls, quantity);
grant select on ledger_entries_of_keys to turnpike_tenant, turnpike_operator, turnpike_meter;

-- What lines of keys have used, with what is owed to their balances.
create view usage_of_keys with (security_invoker = true) as
select tenant_id, key_id, meter_id, period_start, max(period_end) as period_end, sum(used) as used
from (
  select tenant_id, key_id, meter_id, period_start, period_end, used from key_balances
  union all
  select u.tenant_id, k.key_id, u.meter_id, u.period_start, u.period_end, k.quantity
  from recent_usage u cross join lateral unnest(u.key_ids, u.quantities) as k (key_id, quantity)
  where u.period_start is not null and k.quantity > 0
    and not exists (select from limited_keys l where l.tenant_id = u.tenant_id and l.key_id = k.key_id)
) parts
group by 1, 2, 3, 4;
grant select on usage_of_keys to turnpike_tenant, turnpike_operator, turnpike_meter;

-- Invoices take what was recorded up to a cut-off, so nothing may be recorded at or before a cut-off once it was taken. now() is
-- the start of a transaction, which may commit after a later cut-off: its usage would be behind a closed invoice, and never
-- billed. Instead every writer of the ledger shares a lock before it reads the clock, and a cut-off takes that lock alone.
create table usage_cut_off (
  -- There is one row.
  is_last boolean primary key default true check (is_last),
  cut_off_at timestamptz not null
);
grant select on usage_cut_off to turnpike_operator, turnpike_meter;

insert into usage_cut_off (cut_off_at) values ('-infinity');

-- The instant at which usage of this transaction is recorded, in whole milliseconds: later than every cut-off, even when the
-- clock was set back since.
create function stamp_usage() returns timestamptz
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  perform pg_advisory_xact_lock_shared(7163031);
  -- A statement of its own, which sees the cut-off that the lock may have waited for.
  return (
    select greatest(date_trunc('milliseconds', clock_timestamp()), c.cut_off_at + interval '1 millisecond')
    from public.usage_cut_off c
  );
end
$$;
revoke execute on function stamp_usage() from public;
grant execute on function stamp_usage() to turnpike_meter;

-- Takes a cut-off: usage recorded up to the returned instant is in the ledger, and everything recorded from then on is later.
-- New usage waits until the transaction ends, so it should end at once. Fails with lock_not_available after a second.
create function cut_off_usage() returns timestamptz
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  taken timestamptz;
begin
  perform public.lock_within_a_second(7163031);
  update public.usage_cut_off c
  set cut_off_at = greatest(date_trunc('milliseconds', clock_timestamp()), c.cut_off_at)
  returning c.cut_off_at into taken;
  return taken;
end
$$;
revoke execute on function cut_off_usage() from public;
grant execute on function cut_off_usage() to turnpike_meter;

-- An operator's change of a plan is billed in the transaction that changes the tenant, which takes its own cut-off.
grant execute on function cut_off_usage() to turnpike_operator;
