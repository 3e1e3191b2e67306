-- Entries of keys that differ in nothing but the key and what it did stand in one row: a commit of many keys writes a hundredth
-- of the rows, and the ledger, which is kept for years, takes a fifth of the room. Rows from before stay as they are.
alter table ledger_entries
  -- Of one key. Null where the row is of several; calls and quantity are then the sums of theirs.
  alter column key_id drop not null,
  -- At each place a key, its calls and its quantity. Null where the row is of one key.
  add column key_ids text[],
  add column key_calls bigint[],
  add column key_quantities numeric[],
  -- Of new rows; those from before have the columns of one key.
  add constraint ledger_entries_keys check (
    case
      when key_id is null then cardinality(key_ids) > 1 and cardinality(key_ids) = cardinality(key_calls)
        and cardinality(key_ids) = cardinality(key_quantities)
      else num_nonnulls(key_ids, key_calls, key_quantities) = 0
    end is true
  ) not valid,
  -- In the row, compressed: elsewhere they would be rows and places in an index of their own.
  alter column key_ids set storage main,
  alter column key_calls set storage main,
  alter column key_quantities set storage main;

-- One row for each entry.
create view ledger_entries_of_keys with (security_invoker = true) as
select e.tenant_id, e.entry_id, e.group_id, e.occurred_at, e.recorded_at, e.period_start, e.meter_id, e.environment, k.key_id,
  e.outcome, e.status, k.calls, k.quantity
from ledger_entries e cross join lateral unnest(
  coalesce(e.key_ids, array[e.key_id]), coalesce(e.key_calls, array[e.calls]), coalesce(e.key_quantities, array[e.quantity])
) as k (key_id, calls, quantity);
grant select on ledger_entries_of_keys to turnpike_tenant, turnpike_meter, turnpike_operator;
