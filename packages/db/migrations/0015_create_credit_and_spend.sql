-- Credit of a customer. What is left of a grant is the sum of its entries; neither is ever changed.
create table credit_grants (
  tenant_id text not null,
  environment text not null check (environment in ('live', 'test')),
  -- Counts the grants of the account, from 0.
  place int not null check (place >= 0),
  grant_id text not null unique,
  -- Promotional credit lowers an invoice before its tax, prepaid credit pays it after.
  kind text not null check (kind in ('promotional', 'prepaid')),
  currency text not null,
  -- Minor units of the currency.
  granted numeric(30, 0) not null check (granted > 0),
  -- Lower goes first.
  priority int not null,
  -- By the clock of the environment, like all instants here but recorded_at.
  effective_at timestamptz not null,
  expires_at timestamptz check (expires_at > effective_at),
  reason text not null,
  -- The same one counts once.
  reference text,
  -- The invoice that was paid for it; null for what the operator gave.
  invoice_id text references invoices (invoice_id),
  granted_by text not null,
  recorded_at timestamptz not null,
  primary key (tenant_id, environment, place),
  unique (tenant_id, environment, reference)
);
grant select on credit_grants to turnpike_tenant;
grant select, insert on credit_grants to turnpike_operator;

create table credit_entries (
  entry_id bigint generated always as identity,
  tenant_id text not null,
  environment text not null,
  place int not null,
  kind text not null check (kind in ('granted', 'burned', 'returned', 'expired', 'revoked')),
  -- Below 0 for what is taken from the grant.
  amount numeric(30, 0) not null check (amount <> 0 and (amount > 0) = (kind in ('granted', 'returned'))),
  -- What it was burned on or returned by, or was paid for by.
  invoice_id text references invoices (invoice_id) deferrable initially deferred,
  happened_at timestamptz not null,
  recorded_at timestamptz not null,
  actor text not null,
  -- Why it was revoked.
  reason text,
  primary key (tenant_id, entry_id),
  foreign key (tenant_id, environment, place) references credit_grants,
  check ((kind in ('burned', 'returned')) <= (invoice_id is not null))
);
create index credit_entries_by_grant on credit_entries (tenant_id, environment, place);
create index credit_entries_by_invoice on credit_entries (invoice_id) where invoice_id is not null;

-- A grant begins once, an invoice burns it once, and being voided gives that back once.
create unique index credit_granted_once on credit_entries (tenant_id, environment, place) where kind = 'granted';
create unique index credit_burned_once on credit_entries (tenant_id, environment, place, invoice_id, kind)
  where kind in ('burned', 'returned');
grant select on credit_entries to turnpike_tenant;
grant select, insert on credit_entries to turnpike_operator;

-- No grant gives more than it has, or gets back more than it gave.
create function check_credit_left() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  outside boolean;
begin
  select coalesce(sum(e.amount), 0) not between 0 and g.granted into outside
  from credit_grants g left join credit_entries e using (tenant_id, environment, place)
  where g.tenant_id = new.tenant_id and g.environment = new.environment and g.place = new.place
  group by g.granted;
  if outside then
    raise exception 'Grant % of % would have less than nothing left, or more than was granted.', new.place, new.tenant_id
      using errcode = 'TP409';
  end if;
  return null;
end
$$;

create constraint trigger within_grant after insert on credit_entries deferrable initially deferred
  for each row execute function check_credit_left();

-- Like documents, see 0052: only the credit of a deleted demo tenant may be removed.
create function refuse_change_of_credit() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  if tg_op = 'DELETE' and exists (
    select from public.tenants t
    where t.tenant_id = old.tenant_id and t.deleted_at is not null and t.external_id like 'turnpike-demo:%'
  ) then
    return old;
  end if;
  raise exception 'Credit of % is written once: it is corrected by further entries.', tg_table_name using errcode = 'TP409';
end
$$;

create trigger frozen before update or delete on credit_grants for each row execute function refuse_change_of_credit();

create trigger frozen before update or delete on credit_entries for each row execute function refuse_change_of_credit();

-- What a customer wants to be bought by itself.
create table automatic_top_ups (
  tenant_id text not null,
  environment text not null check (environment in ('live', 'test')),
  -- Minor units, like all amounts here. Bought when less than this is left.
  threshold numeric(30, 0) not null check (threshold > 0),
  amount numeric(30, 0) not null check (amount > 0),
  -- The most in a calendar month, by UTC.
  month_limit numeric(30, 0) not null check (month_limit >= amount),
  updated_at timestamptz not null,
  updated_by text not null,
  primary key (tenant_id, environment)
);
grant select on automatic_top_ups to turnpike_tenant;
grant select, insert, update, delete on automatic_top_ups to turnpike_operator;

-- What a tenant may spend at most in a billing period: its own cap and the operator's. The smaller one counts.
create table spend_caps (
  tenant_id text primary key,
  currency text not null,
  -- Minor units of the currency; null without one.
  tenant_cap numeric(30, 0) check (tenant_cap >= 0),
  operator_cap numeric(30, 0) check (operator_cap >= 0),
  -- Shares of the cap, in per cent, at which the tenant is notified.
  shares int[] not null default '{50,80,100}',
  updated_at timestamptz not null
);
grant select on spend_caps to turnpike_tenant;
grant select, insert, update, delete on spend_caps to turnpike_operator;

-- Shares that a tenant was told of: each once in a period.
create table spend_alerts (
  tenant_id text not null,
  period_from timestamptz not null,
  share int not null,
  told_at timestamptz not null,
  primary key (tenant_id, period_from, share)
);
grant select on spend_alerts to turnpike_tenant;
grant select, insert, update, delete on spend_alerts to turnpike_operator;

-- What the granter of leases needs to keep the spend of a tenant within its cap. Written by billing whenever an account changes.
-- Only tenants with a cap have a row; its lock makes their grants take turns, whichever meter they are for.
create table spend_budgets (
  tenant_id text not null,
  -- A prepaid plan draws on the tenant's credit as calls happen: the same row limits what its usage may come to.
  cap numeric(30, 0) check (cap >= 0),
  currency text not null,
  -- Meters with a price.
  meters text[] not null,
  -- SpendSpan of the domain package: the running period, and the next one if there is one.
  spans jsonb not null,
  -- Usage recorded up to here is in the spans.
  fed_to timestamptz not null,
  -- SpendAnchor of the domain package for each span, from the first grant in it on.
  anchors jsonb not null default '[]',
  changed_at timestamptz not null,
  -- Minor units that charges for usage which is not invoiced may come to; null unless the plan is prepaid.
  credit numeric(30, 0) check (credit >= 0),
  -- After a change from a plan that is paid afterwards, calls draw on credit once all that was used on it is counted.
  settles_at timestamptz,
  -- Calls by test keys draw on the credit of the sandbox, by its own clock, as live ones draw on that of the live account.
  environment text not null check (environment in ('live', 'test')),
  -- How far the clock of the environment is ahead.
  ahead_ms bigint not null default 0,
  check (cap is not null or credit is not null),
  primary key (tenant_id, environment)
);
create policy meter_rows on spend_budgets to turnpike_meter using (true) with check (true);
grant select on spend_budgets to turnpike_tenant;
grant select, insert, update, delete on spend_budgets to turnpike_operator;
grant select, update (anchors) on spend_budgets to turnpike_meter;

do $$
declare
  table_name text;
begin
  foreach table_name in array array[
    'credit_grants', 'credit_entries', 'automatic_top_ups', 'spend_caps', 'spend_alerts', 'spend_budgets'
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

-- At which shares of their credit tenants on a prepaid plan hear of it, and of which they have heard since credit was added last.
create table credit_alerts (
  tenant_id text primary key,
  -- In per cent of what was left once credit was added last; 0: calls of some meter are refused.
  shares int[] not null default '{50,20,10,0}',
  -- Minor units; null: no notice at a sum.
  below numeric(30, 0) check (below > 0),
  -- All that was ever granted: another sum means that credit was added.
  granted numeric(30, 0) not null default 0,
  -- What was left then, before tax.
  whole numeric(30, 0) not null default 0,
  -- The lowest share that was told since; null for none.
  told_share int,
  told_below boolean not null default false
);
alter table credit_alerts enable row level security;
alter table credit_alerts force row level security;
create policy tenant_rows on credit_alerts to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on credit_alerts to turnpike_operator using (true) with check (true);
create policy open_tenants on credit_alerts as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select on credit_alerts to turnpike_tenant;
grant select, insert, update, delete on credit_alerts to turnpike_operator;

-- What every reader uses: what a tenant may do now. Tenants that are deleted are not in it, as they are not in tenants. The
-- version is joined from the left, although it always exists, so that a query that does not read the terms skips the join.
create view entitlements with (security_invoker = true) as
select t.tenant_id, t.suspended_at, e.standing, e.plan_id, e.plan_version, v.terms || e.phase_terms || e.overrides as terms,
  e.period_anchor, e.period_unit, e.period_every, e.updated_at,
  case when b.tenant_id is not null then jsonb_build_object('cap', b.cap::text, 'currency', b.currency, 'meters', b.meters,
    'changedAtMs', floor(extract(epoch from b.changed_at) * 1000)) end as spend_cap,
  case when s.tenant_id is not null then jsonb_build_object('cap', s.cap::text, 'currency', s.currency, 'meters', s.meters,
    'changedAtMs', floor(extract(epoch from s.changed_at) * 1000)) end as sandbox_spend
from tenants t
  join tenant_entitlements e on e.tenant_id = t.tenant_id
  left join plan_versions v on v.plan_id = e.plan_id and v.version = e.plan_version
  left join spend_budgets b on b.tenant_id = t.tenant_id and b.environment = 'live'
  left join spend_budgets s on s.tenant_id = t.tenant_id and s.environment = 'test';
grant select on entitlements to turnpike_tenant, turnpike_operator;
