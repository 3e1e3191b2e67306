alter table api_keys
  add column updated_at timestamptz,
  -- The key that took this one's place, in the same tenant.
  add column rolled_to text;
update api_keys set updated_at = created_at;
alter table api_keys alter column updated_at set not null;

-- Lists sorted by name, a page at a time.
create index api_keys_by_name on api_keys (tenant_id, lower(name), key_id);
