-- A demo invents invoices too. Those of a deleted demo tenant may be removed: they are in series of the tenant's own, so no other
-- series has a gap. As in 0039, the function runs as the owner of the tables, who sees rows of deleted demo tenants alone.
do $$
declare
  table_name text;
begin
  foreach table_name in array array['billing_events', 'invoices', 'invoice_lines', 'credit_notes', 'invoice_payments'] loop
    execute format('create policy removed_demo on %I to current_user using (
      tenant_id in (select t.tenant_id from tenants t where t.deleted_at is not null and t.external_id like ''turnpike-demo:%%''))',
      table_name);
  end loop;
end
$$;

-- True for series of one tenant's own: those of its sandbox, and of a demo.
create function is_own_series(series text, tenant text) returns boolean
  language sql immutable
  set search_path = pg_catalog, public, pg_temp
  return starts_with(series, 'demo ' || tenant || ' ') or starts_with(series, 'test ' || tenant || ' ');

-- True when a document may be removed: it is in a series of a deleted demo tenant. `removed` is the row, of any of the tables.
create function is_removed_demo_document(removed jsonb) returns boolean
  language sql stable
  set search_path = pg_catalog, public, pg_temp
as $$
  select exists (
      select from public.tenants t
      where t.tenant_id = removed ->> 'tenant_id' and t.deleted_at is not null and t.external_id like 'turnpike-demo:%'
    )
    and case
      when removed ? 'series' then public.is_own_series(removed ->> 'series', removed ->> 'tenant_id')
      when removed ? 'invoice_id' then exists (
        select from public.invoices i
        where i.invoice_id = removed ->> 'invoice_id' and public.is_own_series(i.series, removed ->> 'tenant_id')
      )
      -- History has no series: it is of the tenant.
      else removed ? 'sequence'
    end
$$;
revoke execute on function is_own_series, is_removed_demo_document from public;
-- The trigger asks in the role that writes.
grant execute on function is_own_series, is_removed_demo_document to turnpike_operator;

create or replace function refuse_change_of_document() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  mutable text[] := tg_argv[0]::text[];
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - mutable = to_jsonb(old) - mutable then
    return new;
  end if;
  if tg_op = 'DELETE' and is_removed_demo_document(to_jsonb(old)) then
    return old;
  end if;
  raise exception 'Documents of % are issued: they are corrected by credit notes, not changed.', tg_table_name
    using errcode = 'TP409';
end
$$;

create function remove_demo_documents(demo text) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  before text := current_setting('app.tenant', true);
begin
  perform from public.tenants t
  where t.tenant_id = demo and t.deleted_at is not null and t.external_id like 'turnpike-demo:%';
  if not found then
    raise exception '% is not a deleted demo tenant.', demo using errcode = 'insufficient_privilege';
  end if;
  -- The owner is a member of the roles of the server, so the policies of a tenant's own rows hold for it too.
  perform set_config('app.tenant', demo, true);
  delete from public.invoice_payments p
  where p.tenant_id = demo
    and exists (select from public.invoices i where i.invoice_id = p.invoice_id and public.is_own_series(i.series, demo));
  delete from public.credit_notes c where c.tenant_id = demo and public.is_own_series(c.series, demo);
  delete from public.invoice_lines l
  where l.tenant_id = demo
    and exists (select from public.invoices i where i.invoice_id = l.invoice_id and public.is_own_series(i.series, demo));
  delete from public.invoices i where i.tenant_id = demo and public.is_own_series(i.series, demo);
  delete from public.billing_events e where e.tenant_id = demo;
  perform set_config('app.tenant', coalesce(before, ''), true);
  delete from public.document_series s where public.is_own_series(s.series, demo)
    and not exists (select from public.invoices i where i.series = s.series)
    and not exists (select from public.credit_notes c where c.series = s.series);
end
$$;
revoke execute on function remove_demo_documents from public;
grant execute on function remove_demo_documents to turnpike_operator;

grant delete on sandbox_usage_shifts to turnpike_operator;
