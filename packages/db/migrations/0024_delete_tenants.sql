-- A tenant that is deleted stays as a row: what was used stays in the ledger, and it can be restored for a while.
alter table tenants
  add column deleted_at timestamptz,
  -- Kind and id of who did it.
  add column deleted_by text,
  -- When its data was removed; nothing but the row and the ledger is left of it then.
  add column purged_at timestamptz;

-- Slug and external id are free again at once.
alter table tenants drop constraint tenants_slug_key, drop constraint tenants_external_id_key;
create unique index tenants_by_slug on tenants (slug) where deleted_at is null;
create unique index tenants_by_external_id on tenants (external_id) where deleted_at is null;
-- Operators list those that are deleted, and a job looks for those whose time is over.
create index tenants_deleted on tenants (deleted_at) where deleted_at is not null;

-- To everybody who does not say that they mean deleted ones too, such a tenant is not there: one rule in place of a
-- condition in each query that asks whether a tenant exists.
create policy open_tenants on tenants as restrictive to turnpike_tenant, turnpike_operator
  using (deleted_at is null or current_setting('app.deleted_tenants', true) = 'shown');

-- Nothing is added to a tenant that is deleted, also by whoever asked whether it exists a moment before. The lock is the one
-- that the foreign keys take anyway; deleting takes one that excludes it.
create function assert_tenant_exists() returns trigger
  language plpgsql
  set search_path = pg_catalog, public
as $$
begin
  perform 1 from public.tenants where tenant_id = new.tenant_id for key share;
  if not found then
    raise exception 'There is no tenant %.', new.tenant_id using errcode = 'TP404';
  end if;
  return new;
end
$$;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['members', 'invitations', 'api_keys', 'files', 'documents', 'notifications', 'alerts',
    'quota_alert_settings', 'exports'] loop
    execute format(
      'create trigger tenant_exists before insert on %I for each row execute function assert_tenant_exists()', table_name);
  end loop;
end
$$;
-- Endpoints of the installation itself belong to no tenant.
create trigger tenant_exists before insert on webhook_endpoints
  for each row when (new.tenant_id <> 'operator') execute function assert_tenant_exists();

-- What is removed when the time to restore is over.
grant delete on key_leaks, quota_alert_settings, quota_alert_states to turnpike_operator;
