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
  primary key (tenant_id, environment),
  foreign key (plan_id, plan_version) references plan_versions (plan_id, version)
);
create index billing_accounts_due on billing_accounts (due_at) where due_at is not null;
create index billing_accounts_by_plan on billing_accounts (environment, plan_id, plan_version);

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

-- Of the sandbox: by how much usage that was recorded in a range happened later by its clock. Ranges tile.
create table sandbox_usage_shifts (
  tenant_id text not null,
  -- Inclusive; usage recorded after the last one has the account's own ahead_ms.
  recorded_to timestamptz not null,
  ahead_ms bigint not null,
  primary key (tenant_id, recorded_to)
);

-- The lock on a row is what gives out numbers without a gap.
create table document_series (
  series text primary key,
  next bigint not null check (next > 0),
  -- Dates of documents rise with their numbers.
  last_issued_at timestamptz not null
);

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
  primary key (tenant_id, invoice_id),
  unique (series, series_number)
);
create index invoices_by_time on invoices (environment, issued_at, invoice_id);
create index invoices_unsettled on invoices (tenant_id, environment) where state in ('open', 'uncollectible');

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
  primary key (tenant_id, credit_note_id),
  unique (series, series_number)
);
create index credit_notes_by_invoice on credit_notes (invoice_id);

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
  primary key (tenant_id, payment_id),
  unique (invoice_id, reference)
);

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

create trigger frozen before update or delete on invoices for each row
  execute function refuse_change_of_document('{state,paid,credited,settled_at}');
create trigger frozen before update or delete on invoice_lines for each row
  execute function refuse_change_of_document('{credited,is_returned}');
create trigger frozen before update or delete on credit_notes for each row execute function refuse_change_of_document('{}');
create trigger frozen before update or delete on invoice_payments for each row execute function refuse_change_of_document('{}');
create trigger frozen before update or delete on billing_events for each row execute function refuse_change_of_document('{}');

do $$
declare
  table_name text;
begin
  foreach table_name in array array['billing_accounts', 'billing_events', 'billed_periods', 'sandbox_usage_shifts', 'invoices',
    'invoice_lines', 'credit_notes', 'invoice_payments'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I to turnpike_tenant
      using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
    execute format('create policy open_tenants on %I as restrictive for select to turnpike_tenant
      using (exists (select from tenants t where t.tenant_id = current_tenant()))', table_name);
    execute format('grant select on %I to turnpike_tenant', table_name);
    execute format('grant select, insert on %I to turnpike_operator', table_name);
  end loop;
  foreach table_name in array array['invoices', 'invoice_lines', 'credit_notes', 'invoice_payments', 'billing_events'] loop
    execute format('create trigger kept before truncate on %I for each statement execute function refuse_truncation()',
      table_name);
  end loop;
end
$$;
grant update, delete on billing_accounts, billed_periods to turnpike_operator;
grant update (state, paid, credited, settled_at) on invoices to turnpike_operator;
grant update (credited, is_returned) on invoice_lines to turnpike_operator;
grant select, insert, update on document_series to turnpike_operator;

-- Plans of a phase, where they differ from those of the version: each list in it replaces the version's.
alter table tenant_entitlements
  add column phase_terms jsonb not null default '{}' check (jsonb_typeof(phase_terms) = 'object');
create or replace view entitlements with (security_invoker = true) as
select t.tenant_id, t.suspended_at, e.standing, e.plan_id, e.plan_version, v.terms || e.phase_terms || e.overrides as terms,
  e.period_anchor, e.period_unit, e.period_every, e.updated_at
from tenants t
  join tenant_entitlements e on e.tenant_id = t.tenant_id
  left join plan_versions v on v.plan_id = e.plan_id and v.version = e.plan_version;
