-- Who has read which notification: a reading hides it from no one else. `reader` is the type and id of an actor, such as 'user:usr_…'.
-- Those that were read before, in notifications.read_at, count as read by all.
create table notification_reads (
  tenant_id text not null,
  notification_id text not null,
  reader text not null,
  read_at timestamptz not null,
  primary key (tenant_id, notification_id, reader),
  foreign key (tenant_id, notification_id) references notifications on delete cascade
);
alter table notification_reads enable row level security;
alter table notification_reads force row level security;
create policy tenant_rows on notification_reads to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on notification_reads to turnpike_operator using (true) with check (true);
create policy open_tenants on notification_reads as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select, insert on notification_reads to turnpike_tenant;
grant select, insert, delete on notification_reads to turnpike_operator;
