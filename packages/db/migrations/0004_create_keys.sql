create table api_keys (
  tenant_id text not null references tenants on delete cascade,
  key_id text not null,
  name text not null,
  environment text not null check (environment in ('live', 'test')),
  key_hash bytea not null,
  start text not null,
  last_four text not null,
  -- Scopes for managing the tenant through the API.
  scopes text[] not null default '{}',
  metadata jsonb not null default '{}',
  expires_at timestamptz,
  disabled_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null,
  created_by text not null,
  updated_at timestamptz not null,
  -- The key that took this one's place, in the same tenant.
  rolled_to text,
  -- CIDRs in canonical form that calls may come from. Empty: from anywhere.
  allowed_networks text[] not null default '{}',
  -- Limits of the key below those of its tenant. RateLimit[] and { meter, limit }[] of the domain package.
  rate_limits jsonb not null default '[]',
  quotas jsonb not null default '[]',
  -- The first key of a line of rolled ones: all of a line draw on one rate limit and one quota.
  origin_key_id text not null,
  -- Calls of the key, and of those it was rolled from and to, that may be under way at once. Null: as many as its tenant.
  concurrency integer check (concurrency between 1 and 100000),
  primary key (tenant_id, key_id)
);

-- The one look-up of the hot path on a miss. Unique over all tenants: a key names its tenant.
create unique index api_keys_by_hash on api_keys (key_hash);

-- Lists sorted by name, a page at a time.
create index api_keys_by_name on api_keys (tenant_id, lower(name), key_id);

-- Keys by the end of their life: what warnings are looked for by.
create index api_keys_by_expiry on api_keys (expires_at) where expires_at is not null and revoked_at is null;

create trigger tenant_exists before insert on api_keys for each row execute function assert_tenant_exists();
create policy open_tenants on api_keys as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select, insert, update, delete on api_keys to turnpike_tenant, turnpike_operator;

-- Which warning of which expiry was given: a row and its notice are committed together, so each is given once.
create table key_expiry_warnings (
  tenant_id text not null,
  key_id text not null,
  -- A key whose expiry was moved is warned of anew.
  expires_at timestamptz not null,
  days_before smallint not null check (days_before > 0),
  warned_at timestamptz not null,
  primary key (tenant_id, key_id, expires_at, days_before),
  foreign key (tenant_id, key_id) references api_keys on delete cascade
);
grant select on key_expiry_warnings to turnpike_tenant;
grant select, insert, delete on key_expiry_warnings to turnpike_operator;

-- Keys that were found in public, a row for each place: a place that is reported again is known.
create table key_leaks (
  -- The trail of the installation, 'operator', for service keys.
  tenant_id text not null,
  -- Id of a key or of a service key.
  key_id text not null,
  -- SHA-256 over source and address, of any length.
  place_hash bytea not null,
  -- Kind of the place in the words of who found it, and its address with the key blotted out. Shown as text, never fetched.
  source text not null,
  url text not null,
  found_at timestamptz not null,
  -- Whether finding it revoked the key.
  revoked boolean not null,
  -- Null until people were told.
  told_at timestamptz,
  primary key (tenant_id, key_id, place_hash)
);
create index key_leaks_untold on key_leaks (tenant_id, key_id) where told_at is null;

-- What is removed when the time to restore is over.
grant select on key_leaks to turnpike_tenant;
grant select, insert, update, delete on key_leaks to turnpike_operator;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['api_keys', 'key_expiry_warnings', 'key_leaks'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I to turnpike_tenant
      using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
  end loop;
end
$$;

-- Balances of keys are written by commits only where a limit is cut from them. To all others, which may be a million, what was
-- used is owed by recent usage, and added when hours are rolled up: to change each of them in every commit was a third of what a
-- commit of many keys cost the database.

-- Lines of keys, by their first key, that have a quota of their own or had one: commits write their balances, and nothing new is
-- owed to them.
create table limited_keys (
  tenant_id text not null,
  key_id text not null,
  primary key (tenant_id, key_id)
);
alter table limited_keys enable row level security;
alter table limited_keys force row level security;
create policy tenant_rows on limited_keys to turnpike_tenant using (tenant_id = current_tenant())
  with check (tenant_id = current_tenant());
create policy meter_rows on limited_keys to turnpike_meter using (true) with check (true);
create policy operator_rows on limited_keys to turnpike_operator using (true) with check (true);
grant select, insert on limited_keys to turnpike_tenant, turnpike_operator, turnpike_meter;

-- A key that is made with a quota was never used: nothing can be owed to it. Others are asked for when a quota is first cut.
create function limit_new_key() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  insert into public.limited_keys (tenant_id, key_id) values (new.tenant_id, new.key_id) on conflict do nothing;
  return null;
end
$$;

create trigger limit_new_key after insert on api_keys
  for each row when (new.quotas <> '[]' and new.origin_key_id = new.key_id) execute function limit_new_key();
