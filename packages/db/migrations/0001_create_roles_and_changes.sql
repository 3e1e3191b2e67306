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
      -- Somebody with more rights made the roles: then the membership must be there already.
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

-- What every process must hear of within a second: a revoked key, a changed plan, a lowered limit. The advisory lock is
-- held until commit, so that revisions become visible in their order and a poller that reads on from the last one it saw
-- misses none.
create table changes (
  revision bigint generated always as identity primary key,
  kind text not null check (kind in ('key', 'tenant', 'plan', 'service_key', 'document', 'notification')),
  tenant_id text,
  entity_id text not null,
  created_at timestamptz not null default now()
);
create index changes_by_time on changes (created_at);

create function record_change(change_kind text, change_tenant text, change_entity text) returns bigint
  language plpgsql
  security definer
  set search_path = pg_catalog, public
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

grant select on changes to turnpike_operator;
grant delete on changes to turnpike_operator;
