-- The lock that orders changes was held from the statement that recorded one to the commit, over everything that the
-- transaction waited for in between. Now a change waits in a queue of its own transaction, and a trigger that runs at the
-- commit takes the lock: nothing but the commit itself happens while it is held, and it is always the last lock.

-- Rows exist inside of their transaction only, so there is nothing to survive a crash.
create unlogged table queued_changes (
  queued_id bigint generated always as identity primary key,
  change_kind text not null,
  change_tenant text,
  change_entity text not null
);

-- For those who need the revision before they commit: it must be their last statement but for the one that writes it.
create function record_change_now(change_kind text, change_tenant text, change_entity text) returns bigint
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  new_revision bigint;
begin
  perform pg_advisory_xact_lock(7163022);
  insert into changes (kind, tenant_id, entity_id)
    values (change_kind, change_tenant, change_entity)
    returning revision into new_revision;
  -- The payload says nothing but that there is something to read.
  perform pg_notify('turnpike_changes', new_revision::text);
  return new_revision;
end
$$;

-- The first row of a transaction records all of them in one statement, with one notification: the lock is held by every
-- commit in turn, and a transaction may record a hundred thousand changes. No other transaction's rows can be seen.
create function record_queued_changes() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
  -- Rows that are gone stay in the table until it is vacuumed: only the end of the index is read.
  set enable_seqscan = off
as $$
declare
  newest bigint;
begin
  if not exists (select from queued_changes where queued_id = new.queued_id) then
    return null;
  end if;
  perform pg_advisory_xact_lock(7163022);
  with queued as (
    delete from queued_changes where queued_id >= new.queued_id
      returning queued_id, change_kind, change_tenant, change_entity
  ), recorded as (
    insert into changes (kind, tenant_id, entity_id)
      select change_kind, change_tenant, change_entity from queued order by queued_id
      returning revision
  )
  select max(revision) into newest from recorded;
  perform pg_notify('turnpike_changes', newest::text);
  return null;
end
$$;

create constraint trigger record_queued_changes after insert on queued_changes
  deferrable initially deferred
  for each row execute function record_queued_changes();

drop function record_change(text, text, text);
create function record_change(change_kind text, change_tenant text, change_entity text) returns void
  language sql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
  insert into queued_changes (change_kind, change_tenant, change_entity) values ($1, $2, $3)
$$;

revoke execute on function record_change(text, text, text) from public;
revoke execute on function record_change_now(text, text, text) from public;
revoke execute on function record_queued_changes() from public;
grant execute on function record_change(text, text, text) to turnpike_tenant, turnpike_operator, turnpike_meter;
grant execute on function record_change_now(text, text, text) to turnpike_tenant, turnpike_operator;
