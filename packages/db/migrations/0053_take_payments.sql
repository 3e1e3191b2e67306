-- What a provider of payments calls a customer. It is kept when the customer removes a method.
create table payment_customers (
  tenant_id text not null,
  environment text not null check (environment in ('live', 'test')),
  provider text not null,
  customer_ref text not null,
  created_at timestamptz not null,
  primary key (tenant_id, environment, provider),
  unique (provider, environment, customer_ref)
);

-- How a customer pays by itself: one way in each environment.
create table payment_methods (
  tenant_id text not null,
  environment text not null check (environment in ('live', 'test')),
  provider text not null,
  -- The provider's own ids. Numbers of cards are never here.
  customer_ref text not null,
  method_ref text not null,
  type text not null,
  brand text,
  last4 text,
  expires_month int,
  expires_year int,
  created_at timestamptz not null,
  primary key (tenant_id, environment)
);

-- Money that was received. Never changed.
create table received_payments (
  tenant_id text not null,
  payment_id text not null unique,
  environment text not null check (environment in ('live', 'test')),
  provider text not null,
  -- The provider's own name of it: it counts once.
  reference text not null,
  -- Minor units of the currency, like all amounts here.
  amount numeric(30, 0) not null check (amount > 0),
  currency text not null,
  -- What went to the customer's balance without any invoice.
  to_balance numeric(30, 0) not null default 0 check (to_balance >= 0 and to_balance <= amount),
  received_at timestamptz not null,
  recorded_at timestamptz not null,
  recorded_by text not null,
  primary key (tenant_id, payment_id),
  unique (provider, environment, reference)
);
create index received_payments_by_time on received_payments (environment, received_at, payment_id);
create index received_payments_by_tenant on received_payments (tenant_id, environment, received_at);

-- An attempt to collect an invoice. It is stored before the provider hears of it, and its id is the idempotency key there.
create table payment_attempts (
  tenant_id text not null,
  attempt_id text not null unique,
  environment text not null check (environment in ('live', 'test')),
  invoice_id text not null references invoices (invoice_id),
  provider text not null,
  customer_ref text not null,
  method_ref text not null,
  amount numeric(30, 0) not null check (amount > 0),
  currency text not null,
  -- Why it is made: the invoice was issued, the calendar of dunning, a new method, or somebody asked for it.
  cause text not null check (cause in ('issued', 'calendar', 'method', 'person')),
  state text not null check (state in ('pending', 'succeeded', 'failed', 'action_required', 'processing', 'unknown')),
  -- The provider's own id of the payment.
  reference text,
  -- The provider's code, and what it says of it.
  reason text,
  message text,
  is_hard boolean not null default false,
  created_at timestamptz not null,
  -- When it was handed to the provider: from then on it is looked up, and sent again only if the provider says that it took nothing.
  sent_at timestamptz,
  updated_at timestamptz not null,
  -- When it is sent or looked up next; null once nothing is to be done.
  check_at timestamptz,
  checks int not null default 0,
  primary key (tenant_id, attempt_id)
);
-- One attempt at a time: two that begin at once are one charge.
create unique index payment_attempts_open on payment_attempts (invoice_id)
  where state in ('pending', 'action_required', 'processing', 'unknown');
create index payment_attempts_due on payment_attempts (check_at) where check_at is not null;
create index payment_attempts_by_invoice on payment_attempts (invoice_id, attempt_id);

-- Money that was given back: by the operator, at the provider, or by a customer's bank. It counts until it has failed.
create table payment_refunds (
  tenant_id text not null,
  refund_id text not null unique,
  environment text not null check (environment in ('live', 'test')),
  payment_id text not null references received_payments (payment_id),
  kind text not null check (kind in ('operator', 'provider', 'dispute')),
  amount numeric(30, 0) not null check (amount > 0),
  currency text not null,
  reason text not null,
  state text not null check (state in ('pending', 'processing', 'succeeded', 'failed', 'unknown')),
  -- What the customer's balance gave of it; invoices gave the rest, see refunded_invoices.
  from_balance numeric(30, 0) not null check (from_balance >= 0 and from_balance <= amount),
  -- Of one that failed: what went to the balance, because its invoices were paid meanwhile.
  returned_to_balance numeric(30, 0) not null default 0 check (returned_to_balance >= 0),
  reference text,
  message text,
  requested_by text not null,
  created_at timestamptz not null,
  sent_at timestamptz,
  updated_at timestamptz not null,
  check_at timestamptz,
  checks int not null default 0,
  primary key (tenant_id, refund_id)
);
create index payment_refunds_by_payment on payment_refunds (payment_id);
create index payment_refunds_due on payment_refunds (check_at) where check_at is not null;

-- Invoices that a refund made due again, and by how much.
create table refunded_invoices (
  tenant_id text not null,
  refund_id text not null references payment_refunds (refund_id),
  invoice_id text not null references invoices (invoice_id),
  amount numeric(30, 0) not null check (amount > 0),
  primary key (tenant_id, refund_id, invoice_id)
);
create index refunded_invoices_by_invoice on refunded_invoices (invoice_id);

-- What an invoice got of which received payment, and what of it was beyond what was due: that part went to the balance.
alter table invoice_payments
  add column received_id text references received_payments (payment_id),
  add column beyond numeric(30, 0) not null default 0 check (beyond >= 0 and beyond <= amount);
create index invoice_payments_by_received on invoice_payments (received_id);

-- Payments that were recorded before were all made by hand.
alter table invoice_payments no force row level security;
alter table invoices no force row level security;
alter table credit_notes no force row level security;
alter table invoice_payments disable trigger frozen;
insert into received_payments (tenant_id, payment_id, environment, provider, reference, amount, currency, received_at, recorded_at,
  recorded_by)
select p.tenant_id, p.payment_id, p.environment, 'manual', p.invoice_id || ' ' || p.reference, p.amount, i.currency, p.paid_at,
  p.paid_at, p.recorded_by
from invoice_payments p join invoices i using (invoice_id);
update invoice_payments p
set received_id = p.payment_id,
  beyond = least(p.amount, greatest(0, s.running - case when i.state = 'void' then 0
    else greatest(0, i.total - i.from_balance - i.prepaid - coalesce(
      (select sum(n.to_due) from credit_notes n where n.invoice_id = i.invoice_id), 0)) end))
from invoices i, (
  select payment_id, sum(amount) over (partition by invoice_id order by payment_id) as running from invoice_payments
) s
where i.invoice_id = p.invoice_id and s.payment_id = p.payment_id;
alter table invoice_payments enable trigger frozen;
alter table invoice_payments force row level security;
alter table invoices force row level security;
alter table credit_notes force row level security;
alter table invoice_payments alter column received_id set not null;

-- Letters and digits of a number: what its bank reference is made from.
create index invoices_by_reference on invoices
  (right(upper(regexp_replace(number, '[^A-Za-z0-9]', '', 'g')), 21)) where environment = 'live';

-- Statements of the operator's bank account, and their lines. They are of no tenant until they are matched.
create table bank_statements (
  statement_id text primary key,
  name text not null,
  format text not null check (format in ('csv', 'camt053')),
  imported_at timestamptz not null,
  imported_by text not null
);
create table statement_lines (
  line_id text primary key,
  statement_id text not null references bank_statements,
  -- Of what the bank says of it: the same line counts once, however often its statement is imported.
  hash text not null unique,
  booked_on date not null,
  amount numeric(30, 0) not null check (amount <> 0),
  currency text not null,
  payer text not null,
  payer_account text not null,
  purpose text not null,
  bank_reference text not null,
  state text not null check (state in ('open', 'matched', 'ignored')),
  payment_id text unique references received_payments (payment_id),
  -- Why it is no payment of a customer.
  note text,
  decided_at timestamptz,
  decided_by text,
  check ((state = 'matched') = (payment_id is not null))
);
create index statement_lines_open on statement_lines (booked_on, line_id) where state = 'open';
create index statement_lines_by_time on statement_lines (booked_on, line_id);

create trigger frozen before update or delete on received_payments for each row execute function refuse_change_of_document('{}');
create trigger frozen before update or delete on refunded_invoices for each row execute function refuse_change_of_document('{}');
create trigger frozen before update or delete on bank_statements for each row execute function refuse_change_of_document('{}');
create trigger frozen before update or delete on payment_refunds for each row execute function refuse_change_of_document(
  '{state,returned_to_balance,reference,message,sent_at,updated_at,check_at,checks}');
create trigger frozen before update or delete on payment_attempts for each row execute function refuse_change_of_document(
  '{state,reference,reason,message,is_hard,sent_at,updated_at,check_at,checks}');
create trigger frozen before update or delete on statement_lines for each row execute function refuse_change_of_document(
  '{state,payment_id,note,decided_at,decided_by}');

-- What is known of a payment is only ever more: one that has ended stays as it ended.
create function refuse_reopening() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  if old.state in ('succeeded', 'failed') and new.state <> old.state and not (tg_table_name = 'payment_refunds' and
    old.state = 'succeeded' and new.state = 'failed') and not (tg_table_name = 'payment_attempts' and old.state = 'failed' and
    new.state = 'succeeded') then
    raise exception 'It has ended as %.', old.state using errcode = 'TP409';
  end if;
  return new;
end
$$;
create trigger ended before update on payment_attempts for each row execute function refuse_reopening();
create trigger ended before update on payment_refunds for each row execute function refuse_reopening();

do $$
declare
  table_name text;
begin
  foreach table_name in array array['payment_customers', 'payment_methods', 'received_payments', 'payment_attempts', 'payment_refunds',
    'refunded_invoices'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I to turnpike_tenant
      using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
    execute format('create policy open_tenants on %I as restrictive for select to turnpike_tenant
      using (exists (select from tenants t where t.tenant_id = current_tenant()))', table_name);
    execute format('create policy removed_demo on %I to current_user using (
      tenant_id in (select t.tenant_id from tenants t where t.deleted_at is not null and t.external_id like ''turnpike-demo:%%''))',
      table_name);
    execute format('grant select on %I to turnpike_tenant', table_name);
    execute format('grant select, insert on %I to turnpike_operator', table_name);
  end loop;
  foreach table_name in array array['received_payments', 'payment_attempts', 'payment_refunds', 'refunded_invoices', 'bank_statements',
    'statement_lines'] loop
    execute format('create trigger kept before truncate on %I for each statement execute function refuse_truncation()',
      table_name);
  end loop;
end
$$;
grant update, delete on payment_customers, payment_methods to turnpike_operator;
grant update on payment_attempts, payment_refunds to turnpike_operator;
grant select, insert on bank_statements, statement_lines to turnpike_operator;
grant update on statement_lines to turnpike_operator;

-- Payments of a deleted demo are removed with its invoices, as in 0052.
create or replace function is_removed_demo_document(removed jsonb) returns boolean
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

create or replace function remove_demo_documents(demo text) returns void
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
