-- The taxes of documents of the environment live as rows of their own, written with the document: a report of a year reads them
-- without unpacking the documents. Amounts of credit notes are below zero.
create table document_taxes (
  -- Of the invoice or the credit note.
  document_id text not null,
  -- From 1; a document without any tax has one row.
  place int not null check (place > 0),
  kind text not null check (kind in ('invoice', 'credit_note')),
  invoice_id text not null,
  tenant_id text not null,
  number text not null,
  issued_at timestamptz not null,
  currency text not null,
  seller_country text not null,
  country text not null,
  customer_name text,
  tax_id text,
  category text not null,
  -- Per cent, scaled by 10^12.
  rate numeric(30, 0) not null,
  name text,
  net numeric(30, 0) not null,
  tax numeric(30, 0) not null,
  primary key (tenant_id, document_id, place)
);
create index document_taxes_by_time on document_taxes (issued_at);
create trigger frozen before update or delete on document_taxes for each row execute function refuse_change_of_document('{}');
create trigger kept before truncate on document_taxes for each statement execute function refuse_truncation();
alter table document_taxes enable row level security;
alter table document_taxes force row level security;
create policy operator_rows on document_taxes to turnpike_operator using (true) with check (true);
create policy removed_demo on document_taxes to current_user using (
  tenant_id in (select t.tenant_id from tenants t where t.deleted_at is not null and t.external_id like 'turnpike-demo:%'));
grant select, insert on document_taxes to turnpike_operator;

-- The rows of documents, as they were frozen. `UNTAXED` and `UNKNOWN_COUNTRY` of the domain package are `none` and `ZZ`.
create function taxes_of_documents(ids text[]) returns setof document_taxes
  language sql stable
  set search_path = pg_catalog, public, pg_temp
as $$
  select d.document_id, coalesce(x.place, 1)::int, d.kind, d.invoice_id, d.tenant_id, d.number, d.issued_at, d.currency,
    coalesce(d.seller ->> 'country', 'ZZ'), coalesce(d.customer ->> 'country', d.seller ->> 'country', 'ZZ'),
    d.customer ->> 'name', d.customer ->> 'taxId', coalesce(x.tax ->> 'category', 'none'),
    coalesce((x.tax -> 'rate' ->> '#')::numeric, 0), x.tax ->> 'name',
    d.sign * coalesce((x.tax -> 'base' ->> '#')::numeric, d.net), d.sign * coalesce((x.tax -> 'amount' ->> '#')::numeric, 0)
  from (
    select 'invoice' as kind, i.invoice_id as document_id, i.invoice_id, i.tenant_id, i.number, i.issued_at, i.currency, i.seller,
      i.customer, 1 as sign, i.net, i.document
    from public.invoices i where i.environment = 'live' and i.invoice_id = any(ids)
    union all
    select 'credit_note', n.credit_note_id, n.invoice_id, n.tenant_id, n.number, n.issued_at, i.currency, i.seller,
      i.customer, -1, n.net, n.document
    from public.credit_notes n join public.invoices i using (invoice_id)
    where n.environment = 'live' and n.credit_note_id = any(ids)
  ) d
    left join lateral jsonb_array_elements(d.document -> 'taxes') with ordinality as x (tax, place) on true
$$;
revoke execute on function taxes_of_documents from public;
grant execute on function taxes_of_documents to turnpike_operator;

-- Documents from before.
set local role turnpike_operator;
insert into document_taxes select * from taxes_of_documents(array(
  select i.invoice_id from invoices i union all select n.credit_note_id from credit_notes n
));
reset role;

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
