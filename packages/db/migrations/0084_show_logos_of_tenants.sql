-- The logo of a tenant: what its pictures hash to, which is part of their address, and the files that hold them.
alter table tenants
  add column logo_id text,
  add column logo_files text[],
  add constraint tenants_logo check ((logo_id is null) = (logo_files is null));
create unique index tenants_by_logo on tenants (logo_id) where logo_id is not null;
-- The sweep asks which of the stored files are logos.
create index tenants_by_logo_file on tenants using gin (logo_files) where logo_files is not null;
