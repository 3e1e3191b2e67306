-- Locks past their time stay open until they are swept: counting those that count must not walk over all of them.
create index locks_open_by_tenant_and_expiry on locks (tenant_id, expires_at) where state = 'open';
drop index locks_open_by_tenant;
