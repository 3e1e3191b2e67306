-- What billing knows of one tenant in one environment, apart from its documents. There is a row once a plan with a price begins.
create table billing_accounts (
  tenant_id text not null,
  environment text not null check (environment in ('live', 'test')),
  -- Goes up with each change: of two that begin from one revision, one is made.
  revision bigint not null,
  currency text not null,
  -- Account of the domain package, without its documents and terms.
  state jsonb not null,
  -- Usage that happened before is not billed: there was no plan with a price.
  begins_at timestamptz not null,
  -- Time has passed for the account up to here.
  advanced_to timestamptz not null,
  -- Usage recorded up to here is in the account.
  fed_to timestamptz not null,
  -- How far the clock of the sandbox is ahead.
  ahead_ms bigint not null default 0 check (ahead_ms >= 0 and (ahead_ms = 0 or environment = 'test')),
  -- When something next has to be done for it, by the real clock; null when nothing has.
  due_at timestamptz,
  events int not null default 0,
  -- For lists of subscriptions; the state has the same.
  life text not null check (life in ('scheduled', 'trialing', 'active', 'paused', 'ended')),
  plan_id text not null,
  plan_version int not null,
  period_from timestamptz not null,
  period_to timestamptz not null,
  created_at timestamptz not null,
  -- Why an account cannot be closed, and since when. It is tried again until it can.
  held_reason text,
  held_since timestamptz,
  primary key (tenant_id, environment),
  foreign key (plan_id, plan_version) references plan_versions (plan_id, version),
  check ((held_reason is null) = (held_since is null))
);
create index billing_accounts_due on billing_accounts (due_at) where due_at is not null;
create index billing_accounts_by_plan on billing_accounts (environment, plan_id, plan_version);
create index billing_accounts_held on billing_accounts (held_since) where held_since is not null;
grant select on billing_accounts to turnpike_tenant;
grant select, insert, update, delete on billing_accounts to turnpike_operator;

-- What happened to a subscription. Never changed.
create table billing_events (
  tenant_id text not null,
  environment text not null,
  sequence int not null,
  -- By the clock of the environment.
  happened_at timestamptz not null,
  recorded_at timestamptz not null,
  kind text not null,
  details jsonb not null,
  actor text not null,
  primary key (tenant_id, environment, sequence)
);
grant select on billing_events to turnpike_tenant;
grant select, insert on billing_events to turnpike_operator;

-- Periods of metered cards that were charged; they tile. Late usage adds to them.
create table billed_periods (
  tenant_id text not null,
  environment text not null,
  -- Counts the plans and add-ons of the account.
  run int not null,
  card text not null,
  from_at timestamptz not null,
  to_at timestamptz not null check (from_at < to_at),
  meter_id text not null,
  -- ClosedStretch of the domain package.
  stretch jsonb not null,
  -- Usage of the period that was recorded up to here is billed.
  billed_to timestamptz not null,
  primary key (tenant_id, environment, run, card, from_at)
);
create index billed_periods_by_meter on billed_periods (tenant_id, environment, meter_id, from_at, to_at);
grant select on billed_periods to turnpike_tenant;
grant select, insert, update, delete on billed_periods to turnpike_operator;

-- Of the sandbox: by how much usage that was recorded in a range happened later by its clock. Ranges tile.
create table sandbox_usage_shifts (
  tenant_id text not null,
  -- Inclusive; usage recorded after the last one has the account's own ahead_ms.
  recorded_to timestamptz not null,
  ahead_ms bigint not null,
  primary key (tenant_id, recorded_to)
);
grant select on sandbox_usage_shifts to turnpike_tenant;
grant select, insert, delete on sandbox_usage_shifts to turnpike_operator;

-- The lock on a row is what gives out numbers without a gap.
create table document_series (
  series text primary key,
  next bigint not null check (next > 0),
  -- Dates of documents rise with their numbers.
  last_issued_at timestamptz not null
);
grant select, insert, update on document_series to turnpike_operator;

create table invoices (
  tenant_id text not null,
  invoice_id text not null unique,
  environment text not null check (environment in ('live', 'test')),
  series text not null references document_series,
  series_number bigint not null,
  number text not null,
  state text not null check (state in ('open', 'paid', 'void', 'uncollectible')),
  currency text not null,
  issued_at timestamptz not null,
  -- When it was due for issue, by the clock of the environment: the end of a period, or the instant of a change.
  closed_at timestamptz not null,
  due_at timestamptz not null,
  cut_off_at timestamptz not null,
  covers_from timestamptz,
  covers_to timestamptz,
  -- The last end of what was charged in advance.
  advance_to timestamptz,
  has_coupon boolean not null,
  seller jsonb not null,
  customer jsonb not null,
  -- Minor units of the currency, like all amounts of documents.
  net numeric(30, 0) not null,
  tax numeric(30, 0) not null,
  total numeric(30, 0) not null check (total = net + tax),
  from_balance numeric(30, 0) not null check (from_balance >= 0),
  prepaid numeric(30, 0) not null check (prepaid >= 0),
  -- Invoice of the domain package, without its lines.
  document jsonb not null,
  -- These change after it was issued, and no others.
  paid numeric(30, 0) not null default 0 check (paid >= 0),
  credited numeric(30, 0) not null default 0 check (credited >= 0 and credited <= total),
  settled_at timestamptz,
  -- What an invoice charges for usage, before tax, in minor units: reports of revenue read it without the lines.
  usage numeric(30, 0) not null default 0,
  -- What of the payments and credit notes of an invoice went to the balance, because nothing was due. Money that is taken back
  -- makes the invoice due again by all of it: what the balance has had does not settle the invoice a second time.
  to_balance numeric(30, 0) not null default 0 check (to_balance >= 0),
  -- The tax of a document in the currency of the seller, where that is another: AccountingTax of the domain package. Null where none
  -- is stated.
  accounting_tax jsonb,
  primary key (tenant_id, invoice_id),
  unique (series, series_number)
);
create index invoices_by_time on invoices (environment, issued_at, invoice_id);
create index invoices_unsettled on invoices (tenant_id, environment) where state in ('open', 'uncollectible');
alter table invoices force row level security;

-- Letters and digits of a number: what its bank reference is made from.
create index invoices_by_reference on invoices
  (right(upper(regexp_replace(number, '[^A-Za-z0-9]', '', 'g')), 21)) where environment = 'live';
create index invoices_voided on invoices (environment, settled_at) where state = 'void';
grant select on invoices to turnpike_tenant;
grant select, insert, update (state, paid, credited, settled_at, to_balance) on invoices to turnpike_operator;

create table invoice_lines (
  tenant_id text not null,
  invoice_id text not null references invoices (invoice_id) deferrable initially deferred,
  -- From 1.
  line int not null check (line > 0),
  environment text not null,
  kind text not null,
  description text not null,
  plan_id text,
  run int,
  card text,
  meter_id text,
  from_at timestamptz,
  to_at timestamptz,
  quantity numeric,
  amount numeric(30, 0) not null,
  discount numeric(30, 0) not null check (discount >= 0),
  -- Usage lines are of what was recorded after, and up to; null for ever before.
  recorded_after timestamptz,
  recorded_to timestamptz,
  -- Line of the domain package.
  document jsonb not null,
  credited numeric(30, 0) not null default 0 check (credited >= 0),
  -- True once a change or an end has credited the rest of what was charged in advance.
  is_returned boolean not null default false,
  primary key (tenant_id, invoice_id, line)
);
create index invoice_lines_by_invoice on invoice_lines (invoice_id, line);

-- Usage of a card is charged once for each stretch of time.
create unique index invoice_lines_once on invoice_lines (tenant_id, environment, run, card, from_at) where kind = 'usage';
grant select on invoice_lines to turnpike_tenant;
grant select, insert, update (credited, is_returned) on invoice_lines to turnpike_operator;

create table credit_notes (
  tenant_id text not null,
  credit_note_id text not null,
  environment text not null,
  invoice_id text not null references invoices (invoice_id) deferrable initially deferred,
  series text not null references document_series,
  series_number bigint not null,
  number text not null,
  issued_at timestamptz not null,
  reason text not null,
  net numeric(30, 0) not null,
  tax numeric(30, 0) not null,
  total numeric(30, 0) not null check (total = net + tax),
  to_due numeric(30, 0) not null check (to_due >= 0),
  to_balance numeric(30, 0) not null check (to_balance >= 0 and to_due + to_balance = total),
  -- CreditNote of the domain package, with its lines.
  document jsonb not null,
  accounting_tax jsonb,
  primary key (tenant_id, credit_note_id),
  unique (series, series_number)
);
create index credit_notes_by_invoice on credit_notes (invoice_id);
alter table credit_notes force row level security;

-- For reports of taxes, which go by the date of documents.
create index credit_notes_by_time on credit_notes (environment, issued_at);
grant select on credit_notes to turnpike_tenant;
grant select, insert on credit_notes to turnpike_operator;

-- Issued means frozen, for the owner of the tables too. Only what happens to a document afterwards may change.
create function refuse_change_of_document() returns trigger
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

create function refuse_truncation() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  raise exception 'Documents of % are issued and stay.', tg_table_name using errcode = 'TP409';
end
$$;

create trigger frozen before update or delete on invoice_lines for each row
  execute function refuse_change_of_document('{credited,is_returned}');

create trigger frozen before update or delete on credit_notes for each row execute function refuse_change_of_document('{}');

create trigger frozen before update or delete on billing_events for each row execute function refuse_change_of_document('{}');

do $$
declare
  table_name text;
begin
  foreach table_name in array array[
    'billing_accounts', 'billing_events', 'billed_periods', 'sandbox_usage_shifts', 'invoices', 'invoice_lines',
    'credit_notes'
  ] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I to turnpike_tenant
      using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
    execute format('create policy open_tenants on %I as restrictive for select to turnpike_tenant
      using (exists (select from tenants t where t.tenant_id = current_tenant()))', table_name);
  end loop;
end
$$;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['invoices', 'invoice_lines', 'credit_notes', 'billing_events'] loop
    execute format('create trigger kept before truncate on %I for each statement execute function refuse_truncation()', table_name);
  end loop;
end
$$;

-- Who redeemed a coupon: each tenant once in each environment.
create table coupon_redemptions (
  tenant_id text not null,
  environment text not null check (environment in ('live', 'test')),
  coupon_id text not null references coupons,
  redeemed_at timestamptz not null,
  primary key (tenant_id, environment, coupon_id)
);
create index coupon_redemptions_by_coupon on coupon_redemptions (coupon_id) where environment = 'live';
alter table coupon_redemptions enable row level security;
alter table coupon_redemptions force row level security;
create policy tenant_rows on coupon_redemptions to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on coupon_redemptions to turnpike_operator using (true) with check (true);
create policy open_tenants on coupon_redemptions as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select on coupon_redemptions to turnpike_tenant;
grant select, insert, delete on coupon_redemptions to turnpike_operator;

-- Moves of the subscribers of a plan to another version, one after the other.
create table plan_migrations (
  migration_id text primary key,
  plan_id text not null,
  -- Null for every version but to_version.
  from_version int,
  to_version int not null,
  moves_at text not null check (moves_at in ('now', 'period_end')),
  state text not null check (state in ('running', 'done', 'cancelled', 'failed')),
  -- Subscribers up to here are done, in the order of their ids; null for none.
  after_tenant text,
  moved int not null default 0,
  unchanged int not null default 0,
  failed int not null default 0,
  -- The first of those that failed: tenantId and reason.
  failures jsonb not null default '[]' check (jsonb_typeof(failures) = 'array'),
  created_at timestamptz not null,
  created_by text not null,
  finished_at timestamptz,
  foreign key (plan_id, to_version) references plan_versions (plan_id, version)
);
create index plan_migrations_by_plan on plan_migrations (plan_id, migration_id);
create unique index plan_migrations_one on plan_migrations (plan_id) where state = 'running';
grant select, insert, update on plan_migrations to turnpike_operator;

-- Who a tenant's invoices are made out to. Each invoice keeps what was here when it was issued.
create table billing_details (
  tenant_id text primary key,
  company_name text,
  address_lines text[] not null default '{}',
  postal_code text,
  city text,
  region text,
  -- ISO 3166-1, two letters; null is taxed like a customer in the seller's country.
  country text check (country ~ '^[A-Z]{2}$'),
  email text,
  tax_id text,
  tax_id_status text check (tax_id_status in ('confirmed', 'pending', 'invalid')),
  -- Why the operator confirmed or refused it.
  tax_id_reason text,
  -- Text of the certificate by which no tax is charged; null for a customer who is taxed.
  exemption text,
  updated_at timestamptz not null,
  check ((tax_id is null) = (tax_id_status is null)),
  check (tax_id is null or country is not null)
);
alter table billing_details enable row level security;
alter table billing_details force row level security;
create policy tenant_rows on billing_details to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on billing_details to turnpike_operator using (true) with check (true);
create policy open_tenants on billing_details as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select on billing_details to turnpike_tenant;
grant select, insert, update, delete on billing_details to turnpike_operator;

-- True for series of one tenant's own: those of its sandbox, and of a demo.
create function is_own_series(series text, tenant text) returns boolean
  language sql immutable
  set search_path = pg_catalog, public, pg_temp
  return starts_with(series, 'demo ' || tenant || ' ') or starts_with(series, 'test ' || tenant || ' ');

-- Payments of a deleted demo are removed with its invoices, as in 0052.
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
      -- History, payments and refunds have no series: they are of the tenant.
      else removed ? 'sequence' or removed ? 'payment_id'
    end
$$;
revoke execute on function is_own_series, is_removed_demo_document from public;

-- The trigger asks in the role that writes.
grant execute on function is_own_series, is_removed_demo_document to turnpike_operator;

-- What subscriptions bring in a month, from an instant on, written with each change of their account: a figure of the past never
-- changes. Of the environment live alone. Rows outlive their tenant, like its invoices.
create table revenue_changes (
  tenant_id text not null,
  sequence int not null check (sequence > 0),
  happened_at timestamptz not null,
  recorded_at timestamptz not null,
  currency text not null,
  -- Monthly recurring revenue from here on, before tax, in minor units.
  amount numeric(30, 0) not null check (amount >= 0),
  -- The plan that it is of, or was.
  plan_id text not null,
  primary key (tenant_id, sequence)
);
create index revenue_changes_by_time on revenue_changes (happened_at);
alter table revenue_changes enable row level security;
alter table revenue_changes force row level security;
create policy operator_rows on revenue_changes to turnpike_operator using (true) with check (true);
grant select, insert on revenue_changes to turnpike_operator;

create trigger frozen before update or delete on revenue_changes for each row execute function refuse_change_of_document('{}');

create trigger kept before truncate on revenue_changes for each statement execute function refuse_truncation();

create trigger frozen before update or delete on invoices for each row
  execute function refuse_change_of_document('{state,paid,credited,to_balance,settled_at}');

-- While the history of a tenant is written, its periods are not closed by the present: its account would run ahead of the history.
create table closing_pauses (
  tenant_id text primary key references tenants on delete cascade,
  until timestamptz not null
);
alter table closing_pauses enable row level security;
alter table closing_pauses force row level security;
create policy operator_rows on closing_pauses to turnpike_operator using (true) with check (true);
grant select, insert, update, delete on closing_pauses to turnpike_operator;

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
alter table document_taxes enable row level security;
alter table document_taxes force row level security;
create policy operator_rows on document_taxes to turnpike_operator using (true) with check (true);
grant select, insert on document_taxes to turnpike_operator;

create trigger frozen before update or delete on document_taxes for each row execute function refuse_change_of_document('{}');

create trigger kept before truncate on document_taxes for each statement execute function refuse_truncation();

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
