-- What the next version of a plan may become. A plan has one draft at most.
create sequence plan_draft_revisions;
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
grant usage on sequence plan_draft_revisions to turnpike_operator;

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
