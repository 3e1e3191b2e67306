alter table api_keys
  -- CIDRs in canonical form that calls may come from. Empty: from anywhere.
  add column allowed_networks text[] not null default '{}';
