-- Somebody looks on the calls of a tenant: for half a minute, other processes send on those that they serve.
alter table changes
  drop constraint changes_kind_check,
  add constraint changes_kind_check check (
    kind in ('key', 'tenant', 'plan', 'service_key', 'document', 'notification', 'user', 'tail'));

-- Exports of usage. Their content is in parts, each a file of the file store: what is committed here is not written again.
create table exports (
  tenant_id text not null references tenants on delete cascade,
  export_id text not null,
  name text not null,
  format text not null check (format in ('csv', 'json')),
  state text not null check (state in ('waiting', 'running', 'done', 'failed', 'cancelled', 'expired')),
  -- Parameters as they were asked, by name.
  question jsonb not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  parts_done int not null default 0,
  parts_total int not null check (parts_total > 0),
  rows_written bigint not null default 0,
  bytes_written bigint not null default 0,
  -- Counts attempts: one that was given up and goes on all the same commits nothing.
  attempt int not null default 0,
  failure text,
  created_at timestamptz not null,
  created_by text not null,
  finished_at timestamptz,
  expires_at timestamptz,
  primary key (tenant_id, export_id)
);
-- Housekeeping looks for what is over.
create index exports_done on exports (expires_at) where state = 'done';
create index exports_finished on exports (finished_at);

create table export_parts (
  tenant_id text not null,
  export_id text not null,
  part int not null,
  file_id text not null,
  bytes bigint not null check (bytes >= 0),
  primary key (tenant_id, export_id, part),
  foreign key (tenant_id, export_id) references exports on delete cascade
);
-- The sweep of the file store asks which files are known.
create index export_parts_by_file on export_parts (file_id);

do $$
declare
  table_name text;
begin
  foreach table_name in array array['exports', 'export_parts'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy tenant_rows on %I for select to turnpike_tenant using (tenant_id = current_tenant())', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
  end loop;
end
$$;
grant select on exports, export_parts to turnpike_tenant;
grant select, insert, update, delete on exports, export_parts to turnpike_operator;
