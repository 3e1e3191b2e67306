-- Calls of the key, and of those it was rolled from and to, that may be under way at once. Null: as many as its tenant.
alter table api_keys add column concurrency integer check (concurrency between 1 and 100000);
