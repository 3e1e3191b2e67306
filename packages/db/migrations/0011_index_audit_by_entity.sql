-- The trail of one key, member or tenant, newest first.
create index audit_entries_by_entity on audit_entries (tenant_id, entity_id, audit_id desc);
