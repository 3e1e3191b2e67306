-- While the history of a tenant is written, its periods are not closed by the present: its account would run ahead of the history.
create table closing_pauses (
  tenant_id text primary key references tenants on delete cascade,
  until timestamptz not null
);
alter table closing_pauses enable row level security;
alter table closing_pauses force row level security;
create policy operator_rows on closing_pauses to turnpike_operator using (true) with check (true);
grant select, insert, update, delete on closing_pauses to turnpike_operator;
