-- What a deleted tenant had stays until it can no longer be restored. To whoever works in a tenant it is not there, as the
-- tenant itself is not: one rule in place of a condition in each query. It is asked once for a statement, not once for a row.
do $$
declare
  table_name text;
begin
  foreach table_name in array array['members', 'invitations', 'api_keys', 'files', 'documents', 'notifications', 'alerts',
    'alert_happenings', 'quota_alert_settings', 'exports', 'export_parts', 'webhook_endpoints', 'webhook_deliveries',
    'webhook_attempts'] loop
    execute format(
      'create policy open_tenants on %I as restrictive for select to turnpike_tenant '
      'using (exists (select from tenants t where t.tenant_id = current_tenant()))',
      table_name);
  end loop;
end
$$;

-- The last failure of the row that began at failing_since: one long after it is no part of it.
alter table webhook_endpoints add column last_failed_at timestamptz;

-- Each secret before the present one signs until its own time is over, however often it was replaced since:
-- [{"secret": sealed, "until": instant}, …].
alter table webhook_endpoints
  alter column previous_secret type jsonb using case
    when previous_secret is null or previous_secret_until is null then '[]'
    else jsonb_build_array(jsonb_build_object('secret', previous_secret, 'until', previous_secret_until))
  end,
  alter column previous_secret set default '[]',
  alter column previous_secret set not null,
  drop column previous_secret_until;
alter table webhook_endpoints rename column previous_secret to earlier_secrets;
