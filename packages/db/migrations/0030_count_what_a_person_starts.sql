-- Kind and id of who made a tenant, so that whoever deletes theirs founds no more than a person may. Null: made before this
-- was kept.
alter table tenants add column created_by text;
-- How many tenants a person has founded, and how many invitations they have sent, of late.
create index tenants_by_maker on tenants (created_by, created_at);
create index invitations_by_inviter on invitations (created_by, created_at);
