-- Why the operator suspended a tenant, in words for its members.
alter table tenants
  add column suspension_reason text,
  add constraint tenants_suspension_reason_check
    check (suspension_reason is null or (suspended_at is not null and char_length(suspension_reason) between 1 and 500));
