-- Keys by the end of their life: what warnings are looked for by.
create index api_keys_by_expiry on api_keys (expires_at) where expires_at is not null and revoked_at is null;

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

do $$
declare
  table_name text;
begin
  foreach table_name in array array['key_expiry_warnings', 'key_leaks'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format(
      'create policy tenant_rows on %I to turnpike_tenant using (tenant_id = current_tenant()) with check (tenant_id = current_tenant())',
      table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
  end loop;
end
$$;
grant select on key_expiry_warnings, key_leaks to turnpike_tenant;
grant select, insert, delete on key_expiry_warnings to turnpike_operator;
grant select, insert, update on key_leaks to turnpike_operator;
