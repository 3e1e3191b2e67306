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

do $$
declare
  table_name text;
begin
  foreach table_name in array array['credit_grants', 'credit_entries', 'automatic_top_ups'] loop
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
  foreach table_name in array array['credit_grants', 'credit_entries'] loop
    execute format('create policy removed_demo on %I to current_user using (
      tenant_id in (select t.tenant_id from tenants t where t.deleted_at is not null and t.external_id like ''turnpike-demo:%%''))',
      table_name);
    execute format('create trigger kept before truncate on %I for each statement execute function refuse_truncation()',
      table_name);
  end loop;
end
$$;
grant update, delete on automatic_top_ups to turnpike_operator;

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
