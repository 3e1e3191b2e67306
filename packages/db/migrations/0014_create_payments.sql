-- What a provider of payments calls a customer. It is kept when the customer removes a method.
create table payment_customers (
  tenant_id text not null,
  environment text not null check (environment in ('live', 'test')),
  provider text not null,
  customer_ref text not null,
  created_at timestamptz not null,
  -- When a customer set up the newest method: a notice of an older one that comes late does not put that in force again.
  set_up_at timestamptz,
  primary key (tenant_id, environment, provider),
  unique (provider, environment, customer_ref)
);
grant select on payment_customers to turnpike_tenant;
grant select, insert, update, delete on payment_customers to turnpike_operator;

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
grant select on payment_methods to turnpike_tenant;
grant select, insert, update, delete on payment_methods to turnpike_operator;

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
grant select on received_payments to turnpike_tenant;
grant select, insert on received_payments to turnpike_operator;

create table invoice_payments (
  tenant_id text not null,
  payment_id text not null,
  environment text not null,
  invoice_id text not null references invoices (invoice_id),
  amount numeric(30, 0) not null check (amount > 0),
  paid_at timestamptz not null,
  -- The same payment counts once.
  reference text not null,
  recorded_by text not null,
  -- What an invoice got of which received payment, and what of it was beyond what was due: that part went to the balance.
  received_id text not null references received_payments (payment_id),
  beyond numeric(30, 0) not null default 0 check (beyond >= 0 and beyond <= amount),
  primary key (tenant_id, payment_id),
  unique (invoice_id, reference)
);
alter table invoice_payments enable row level security;
alter table invoice_payments force row level security;
create policy tenant_rows on invoice_payments to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on invoice_payments to turnpike_operator using (true) with check (true);
create policy open_tenants on invoice_payments as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
create index invoice_payments_by_received on invoice_payments (received_id);
alter table invoice_payments force row level security;
grant select on invoice_payments to turnpike_tenant;
grant select, insert on invoice_payments to turnpike_operator;

create trigger frozen before update or delete on invoice_payments for each row execute function refuse_change_of_document('{}');

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
  -- Why it is made: the invoice was issued, the calendar of dunning, a new method, or a person asked for it.
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
  -- What the provider could not charge for itself is charged with one attempt of an account, also where two invoices are collected at once.
  carries boolean not null default false,
  primary key (tenant_id, attempt_id)
);

-- One attempt at a time: two that begin at once are one charge.
create unique index payment_attempts_open on payment_attempts (invoice_id)
  where state in ('pending', 'action_required', 'processing', 'unknown');
create index payment_attempts_due on payment_attempts (check_at) where check_at is not null;
create index payment_attempts_by_invoice on payment_attempts (invoice_id, attempt_id);
create unique index payment_attempts_carrying on payment_attempts (tenant_id, environment)
  where carries and state in ('pending', 'action_required', 'processing', 'unknown');
grant select on payment_attempts to turnpike_tenant;
grant select, insert, update on payment_attempts to turnpike_operator;

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
grant select on payment_refunds to turnpike_tenant;
grant select, insert, update on payment_refunds to turnpike_operator;

-- Invoices that a refund made due again, and by how much.
create table refunded_invoices (
  tenant_id text not null,
  refund_id text not null references payment_refunds (refund_id),
  invoice_id text not null references invoices (invoice_id),
  amount numeric(30, 0) not null,
  -- Money that is taken back may have been spent from the balance: then invoices that had it from there return it, and are due again.
  reclaimed numeric(30, 0) not null default 0 check (reclaimed >= 0),
  primary key (tenant_id, refund_id, invoice_id),
  check (amount >= 0 and amount + reclaimed > 0)
);
create index refunded_invoices_by_invoice on refunded_invoices (invoice_id);
grant select on refunded_invoices to turnpike_tenant;
grant select, insert on refunded_invoices to turnpike_operator;

-- Statements of the operator's bank account, and their lines. They are of no tenant until they are matched.
create table bank_statements (
  statement_id text primary key,
  name text not null,
  format text not null check (format in ('csv', 'camt053')),
  imported_at timestamptz not null,
  imported_by text not null
);
grant select, insert on bank_statements to turnpike_operator;

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
grant select, insert, update on statement_lines to turnpike_operator;

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
  foreach table_name in array array[
    'invoice_payments', 'received_payments', 'payment_attempts', 'payment_refunds', 'refunded_invoices',
    'bank_statements', 'statement_lines'
  ] loop
    execute format('create trigger kept before truncate on %I for each statement execute function refuse_truncation()', table_name);
  end loop;
end
$$;

-- What providers of payments reported: each event once, until what it is about has been fetched and applied.
-- Events that cannot be applied are tried ever later, and once a day when they are given up: they keep no other one waiting.
create table provider_events (
  provider text not null,
  environment text not null check (environment in ('live', 'test')),
  event_id text not null,
  type text not null,
  -- What to fetch; nothing else of the event is believed.
  object_ref text not null,
  received_at timestamptz not null,
  -- Null until it is applied.
  applied_at timestamptz,
  -- Why it could not be applied so far.
  failure text,
  -- How often it could not be applied, but for times when the provider did not answer.
  tries int not null default 0,
  -- When it is taken up again; null once it is applied.
  try_at timestamptz,
  given_up_at timestamptz,
  primary key (provider, environment, event_id),
  check (applied_at is null or (try_at is null and given_up_at is null))
);
create index provider_events_by_age on provider_events (received_at);
create index provider_events_waiting on provider_events (try_at) where try_at is not null;
create index provider_events_given_up on provider_events (received_at) where given_up_at is not null;

-- What a provider reported and could not be applied is listed.
create index provider_events_failed on provider_events (environment, received_at)
  where applied_at is null and failure is not null;
grant select, insert, update, delete on provider_events to turnpike_operator;

-- Up to when each provider was asked for events that never arrived, and what keeps it from answering.
create table provider_sweeps (
  provider text not null,
  environment text not null check (environment in ('live', 'test')),
  swept_to timestamptz,
  trouble text,
  trouble_since timestamptz,
  primary key (provider, environment),
  check ((trouble is null) = (trouble_since is null))
);
grant select, insert, update on provider_sweeps to turnpike_operator;
