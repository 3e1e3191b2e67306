-- Three roles without login. Each transaction takes one with SET LOCAL ROLE, so that row-level security holds even when
-- the connecting user owns the tables or is a superuser. Roles belong to the whole server, hence the guards.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['turnpike_tenant', 'turnpike_meter', 'turnpike_operator'] loop
    begin
      if not exists (select from pg_roles where rolname = role_name) then
        execute format('create role %I nologin nosuperuser nobypassrls noinherit', role_name);
      end if;
    exception
      -- Another process that starts was faster.
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then
        raise exception 'The database user % may not create the role %.', current_user, role_name
          using hint = format(
            'Run as a superuser: create role %1$s nologin noinherit; grant %1$s to %2$s;', role_name, current_user);
    end;
    begin
      execute format('grant %I to current_user', role_name);
    exception
      -- A user with more rights made the roles: then the membership must be there already.
      when insufficient_privilege then
        if not pg_has_role(current_user, role_name, 'member') then
          raise exception 'The database user % may not use the role %.', current_user, role_name
            using hint = format('Run as a superuser: grant %s to %s;', role_name, current_user);
        end if;
    end;
  end loop;
end
$$;
grant usage on schema public to turnpike_tenant, turnpike_meter, turnpike_operator;

-- The tenant of the transaction; null (no rows) when none is set. After a transaction PostgreSQL leaves '' behind.
create function current_tenant() returns text
  language sql stable
  return nullif(current_setting('app.tenant', true), '');

-- An advisory lock until the end of the transaction, or an error after a second of waiting: others queue behind a session that waits.
create function lock_within_a_second(lock_id bigint) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '1s'
as $$
begin
  perform pg_advisory_xact_lock(lock_id);
end
$$;

-- What every process must hear of within a second: a revoked key, a changed plan, a lowered limit. An advisory lock makes
-- revisions visible in their order, so that a poller that reads on from the last one it saw misses none.
create table changes (
  revision bigint generated always as identity primary key,
  kind text not null check (
    kind in ('key', 'tenant', 'plan', 'service_key', 'document', 'notification', 'user', 'tail', 'lease')),
  tenant_id text,
  entity_id text not null,
  created_at timestamptz not null default now()
);
create index changes_by_time on changes (created_at);
grant select, delete on changes to turnpike_operator;

-- A feed compares its place with the newest revision: a database restored from a backup has gone back.
grant select on sequence changes_revision_seq to turnpike_operator;

-- Changes of a transaction, until it commits. A trigger that runs at the commit takes the lock that orders changes: nothing but
-- the commit itself happens while it is held, and it is always the last lock. Rows exist inside of their transaction only, so
-- there is nothing to survive a crash.
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

create function record_change(change_kind text, change_tenant text, change_entity text) returns void
  language sql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
  insert into queued_changes (change_kind, change_tenant, change_entity) values ($1, $2, $3)
$$;

create constraint trigger record_queued_changes after insert on queued_changes
  deferrable initially deferred
  for each row execute function record_queued_changes();
revoke execute on function record_change(text, text, text) from public;
revoke execute on function record_change_now(text, text, text) from public;
revoke execute on function record_queued_changes() from public;
grant execute on function record_change(text, text, text) to turnpike_tenant, turnpike_operator, turnpike_meter;
grant execute on function record_change_now(text, text, text) to turnpike_tenant, turnpike_operator;

-- How far old rows were deleted, so that a reader that goes on from a revision knows when some of what followed is gone.
create table pruned_revisions (
  source text primary key check (source in ('changes', 'documents')),
  revision bigint not null
);
insert into pruned_revisions (source, revision) values ('changes', 0), ('documents', 0);
grant select on pruned_revisions to turnpike_tenant;
grant select, update on pruned_revisions to turnpike_operator;
