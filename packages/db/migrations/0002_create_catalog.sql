create table meters (
  meter_id text primary key,
  name text not null,
  unit text not null,
  aggregation text not null check (aggregation in ('count', 'sum', 'avg', 'min', 'max', 'latest', 'unique_count')),
  created_at timestamptz not null,
  version int not null default 1,
  -- Null: counted by the gateway and by verification.
  event_type text,
  -- JSON pointer; null for `count`.
  value_pointer text,
  -- MeterDimension[] of the domain package.
  dimensions jsonb not null default '[]',
  -- The highest value of one event of a meter that sums; null without a bound.
  value_max numeric check (value_max > 0)
);

-- By which versions events are counted is looked up in the transaction that records them.
grant select on meters to turnpike_tenant, turnpike_meter;
grant select, insert, update, delete on meters to turnpike_operator;

create table plans (
  plan_id text primary key,
  latest_version int not null,
  is_default boolean not null default false,
  created_at timestamptz not null,
  -- When the plan was no longer offered. Its subscribers keep it.
  archived_at timestamptz
);
create unique index plans_one_default on plans (is_default) where is_default;
grant select on plans to turnpike_tenant;
grant select, insert, update on plans to turnpike_operator;

create table plan_versions (
  plan_id text not null references plans,
  version int not null,
  -- PlanTerms of the domain package.
  terms jsonb not null,
  published_at timestamptz not null,
  primary key (plan_id, version)
);
grant select on plan_versions to turnpike_tenant;
grant select, insert, update on plan_versions to turnpike_operator;

create table meter_versions (
  meter_id text not null references meters,
  version int not null,
  name text not null,
  unit text not null,
  event_type text,
  value_pointer text,
  dimensions jsonb not null,
  published_at timestamptz not null,
  value_max numeric check (value_max > 0),
  primary key (meter_id, version)
);
grant select on meter_versions to turnpike_tenant;
grant select, insert, delete on meter_versions to turnpike_operator;

-- Invoices are computed from the version of a plan that was sold, so a version never changes, not even for the owner of the table.
create function keep_plan_versions() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  raise exception 'A published version of a plan never changes: publish a new version instead.'
    using errcode = 'integrity_constraint_violation';
end
$$;

create trigger keep_plan_versions before update or delete on plan_versions
  for each row execute function keep_plan_versions();

create trigger keep_all_plan_versions before truncate on plan_versions
  for each statement execute function keep_plan_versions();

-- What the next version of a plan may become. A plan has one draft at most.
create sequence plan_draft_revisions;
grant usage on sequence plan_draft_revisions to turnpike_operator;
create table plan_drafts (
  plan_id text primary key,
  -- PlanTerms of the domain package, perhaps with faults.
  terms jsonb not null,
  -- From the sequence, so that a draft that was deleted and made again has another.
  revision bigint not null default nextval('plan_draft_revisions'),
  updated_at timestamptz not null,
  updated_by text not null
);
grant select, insert, update, delete on plan_drafts to turnpike_operator;

create table coupons (
  coupon_id text primary key,
  name text not null,
  percent numeric check (percent > 0 and percent <= 100),
  -- Major units, off each period.
  amount numeric check (amount > 0),
  currency text,
  periods int check (periods > 0),
  -- Keys of cards; null for the whole invoice.
  cards jsonb check (jsonb_typeof(cards) = 'array'),
  redeem_by timestamptz,
  max_redemptions int check (max_redemptions > 0),
  created_at timestamptz not null,
  archived_at timestamptz,
  check ((percent is null) <> (amount is null)),
  check ((amount is null) = (currency is null))
);
grant select, insert, update on coupons to turnpike_operator;

-- Who has redeemed a coupon was promised what it gave.
create function keep_coupon_terms() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  raise exception 'What a coupon gives never changes: create another coupon.' using errcode = 'integrity_constraint_violation';
end
$$;

create trigger keep_coupon_terms before update on coupons
  for each row when (
    (new.coupon_id, new.percent, new.amount, new.currency, new.periods, new.cards)
      is distinct from (old.coupon_id, old.percent, old.amount, old.currency, old.periods, old.cards)
  ) execute function keep_coupon_terms();
