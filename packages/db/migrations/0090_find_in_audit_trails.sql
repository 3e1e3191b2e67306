-- Trails are read by the time of their entries, newest first: of one entity, of one actor, or of one noun of actions
-- (`member` of `member.removed`). Each index has the condition and the order, so that a page reads no more entries than it looks at.
-- The noun is a column, because under row-level security no index answers a condition on a function that may leak what it sees.
alter table audit_entries add column noun text not null generated always as (split_part(action, '.', 1)) stored;
create index audit_entries_of_entity on audit_entries (entity_id, tenant_id, occurred_at desc, audit_id desc);
create index audit_entries_of_actor on audit_entries (tenant_id, actor_id, occurred_at desc, audit_id desc);
create index audit_entries_of_noun on audit_entries (tenant_id, noun, occurred_at desc, audit_id desc);
drop index audit_entries_by_entity;

-- Operators read those of all tenants. The condition is a column and not that of a partial index, which the planner would take for
-- one tenant too, and pass over the entries of all others.
create index audit_entries_of_tenants on audit_entries ((tenant_id <> 'operator'), occurred_at desc, audit_id desc);
create index audit_entries_of_tenants_by_actor
  on audit_entries (actor_id, (tenant_id <> 'operator'), occurred_at desc, audit_id desc);
