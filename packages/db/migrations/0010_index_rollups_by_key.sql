-- When a key was last used, without reading everything its tenant did since.
create index usage_rollups_hourly_by_key on usage_rollups_hourly (tenant_id, key_id, occurred_at);
