-- A demo can be removed. Its calls were never made, so its usage may leave the ledger, from which nothing else is ever removed:
-- no role may delete there, and this function lets go of deleted demo tenants only. It runs as the owner of the tables, to whom
-- the policies show the rows of these tenants and no others.
create policy removed_demo on tenants for select to current_user
  using (deleted_at is not null and external_id like 'turnpike-demo:%');

create function remove_demo_usage(demo text, out entries bigint, out calls bigint)
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  perform from public.tenants t
  where t.tenant_id = demo and t.deleted_at is not null and t.external_id like 'turnpike-demo:%';
  if not found then
    raise exception '% is not a deleted demo tenant.', demo using errcode = 'insufficient_privilege';
  end if;
  with removed as (
    delete from public.ledger_entries e where e.tenant_id = demo returning coalesce(cardinality(e.key_ids), 1) as entries, e.calls
  )
  select coalesce(sum(r.entries), 0), coalesce(sum(r.calls), 0) into entries, calls from removed r;
  delete from public.recent_usage u where u.tenant_id = demo;
  delete from public.usage_rollups u where u.tenant_id = demo;
  delete from public.usage_rollups_hourly u where u.tenant_id = demo;
  delete from public.meter_rollups u where u.tenant_id = demo;
  delete from public.meter_uniques u where u.tenant_id = demo;
  delete from public.usage_events u where u.tenant_id = demo;
  delete from public.rejected_events u where u.tenant_id = demo;
  delete from public.locks u where u.tenant_id = demo;
  delete from public.leases u where u.tenant_id = demo;
  delete from public.key_balances u where u.tenant_id = demo;
  delete from public.balances u where u.tenant_id = demo;
  delete from public.limited_keys u where u.tenant_id = demo;
end
$$;
revoke execute on function remove_demo_usage from public;
grant execute on function remove_demo_usage to turnpike_operator;

do $$
declare
  table_name text;
begin
  foreach table_name in array array[
    'ledger_entries', 'recent_usage', 'usage_rollups', 'usage_rollups_hourly', 'meter_rollups', 'meter_uniques',
    'usage_events', 'rejected_events', 'locks', 'leases', 'key_balances', 'balances', 'limited_keys',
    'billing_events', 'invoices', 'invoice_lines', 'credit_notes', 'invoice_payments'
  ] loop
    execute format('create policy removed_demo on %I to current_user
      using ( tenant_id in (select t.tenant_id from tenants t where t.deleted_at is not null and t.external_id like ''turnpike-demo:%%''))', table_name);
  end loop;
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
  delete from public.refunded_invoices x
  where x.tenant_id = demo
    and exists (select from public.invoices i where i.invoice_id = x.invoice_id and public.is_own_series(i.series, demo));
  delete from public.payment_attempts a
  where a.tenant_id = demo
    and exists (select from public.invoices i where i.invoice_id = a.invoice_id and public.is_own_series(i.series, demo));
  delete from public.invoice_payments p
  where p.tenant_id = demo
    and exists (select from public.invoices i where i.invoice_id = p.invoice_id and public.is_own_series(i.series, demo));
  -- What is left of other invoices keeps its payment.
  delete from public.payment_refunds f
  where f.tenant_id = demo
    and not exists (select from public.refunded_invoices x where x.refund_id = f.refund_id)
    and not exists (select from public.invoice_payments p where p.received_id = f.payment_id);
  delete from public.received_payments r
  where r.tenant_id = demo
    and not exists (select from public.invoice_payments p where p.received_id = r.payment_id)
    and not exists (select from public.payment_refunds f where f.payment_id = r.payment_id)
    and not exists (select from public.statement_lines l where l.payment_id = r.payment_id);
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

do $$
declare
  table_name text;
begin
  foreach table_name in array array[
    'payment_customers', 'payment_methods', 'received_payments', 'payment_attempts', 'payment_refunds',
    'refunded_invoices'
  ] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I to turnpike_tenant
      using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
    execute format('create policy open_tenants on %I as restrictive for select to turnpike_tenant
      using (exists (select from tenants t where t.tenant_id = current_tenant()))', table_name);
    execute format('create policy removed_demo on %I to current_user
      using ( tenant_id in (select t.tenant_id from tenants t where t.deleted_at is not null and t.external_id like ''turnpike-demo:%%''))', table_name);
  end loop;
end
$$;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['credit_grants', 'credit_entries'] loop
    execute format('create policy removed_demo on %I to current_user
      using ( tenant_id in (select t.tenant_id from tenants t where t.deleted_at is not null and t.external_id like ''turnpike-demo:%%''))', table_name);
    execute format('create trigger kept before truncate on %I for each statement execute function refuse_truncation()', table_name);
  end loop;
end
$$;

create function remove_demo_credit(demo text) returns void
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
  perform set_config('app.tenant', demo, true);
  delete from public.credit_entries e where e.tenant_id = demo;
  delete from public.credit_grants g where g.tenant_id = demo;
  perform set_config('app.tenant', coalesce(before, ''), true);
end
$$;
revoke execute on function remove_demo_credit from public;
grant execute on function remove_demo_credit to turnpike_operator;
create policy removed_demo on revenue_changes to current_user using (
  tenant_id in (select t.tenant_id from tenants t where t.deleted_at is not null and t.external_id like 'turnpike-demo:%'));

-- Removes what a demo invented, as its documents are removed.
create function remove_demo_revenue(demo text) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  perform from public.tenants t
  where t.tenant_id = demo and t.deleted_at is not null and t.external_id like 'turnpike-demo:%';
  if not found then
    raise exception '% is not a deleted demo tenant.', demo using errcode = 'insufficient_privilege';
  end if;
  delete from public.revenue_changes r where r.tenant_id = demo;
end
$$;
revoke execute on function remove_demo_revenue from public;
grant execute on function remove_demo_revenue to turnpike_operator;
create policy removed_demo on document_taxes to current_user using (
  tenant_id in (select t.tenant_id from tenants t where t.deleted_at is not null and t.external_id like 'turnpike-demo:%'));

-- Removes what a demo invented, as its documents are removed, which it has to precede: the rows are of documents.
create function remove_demo_taxes(demo text) returns void
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
  -- As in remove_demo_documents: the policies of a tenant's own rows hold for the owner too.
  perform set_config('app.tenant', demo, true);
  delete from public.document_taxes d
  where d.tenant_id = demo
    and exists (select from public.invoices i where i.invoice_id = d.invoice_id and public.is_own_series(i.series, demo));
  perform set_config('app.tenant', coalesce(before, ''), true);
end
$$;
revoke execute on function remove_demo_taxes from public;
grant execute on function remove_demo_taxes to turnpike_operator;
