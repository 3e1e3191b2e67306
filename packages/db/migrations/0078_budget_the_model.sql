-- What tenants had a language model read and write, by UTC days: reserved before a call, corrected after it.
create table model_tokens (
  tenant_id text not null references tenants on delete cascade,
  day date not null,
  tokens bigint not null check (tokens >= 0),
  primary key (tenant_id, day)
);
alter table model_tokens enable row level security;
alter table model_tokens force row level security;
create policy tenant_rows on model_tokens to turnpike_tenant
  using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
create policy operator_rows on model_tokens to turnpike_operator using (true) with check (true);
create policy open_tenants on model_tokens as restrictive for select to turnpike_tenant
  using (exists (select from tenants t where t.tenant_id = current_tenant()));
grant select, insert, update, delete on model_tokens to turnpike_tenant;
grant select, delete on model_tokens to turnpike_operator;

-- Whether a language model may be asked at all. No row: it may.
create table model_switch (
  singleton boolean primary key default true check (singleton),
  is_on boolean not null,
  changed_at timestamptz not null
);
alter table model_switch enable row level security;
alter table model_switch force row level security;
create policy operator_rows on model_switch to turnpike_operator using (true) with check (true);
create policy readable on model_switch for select to turnpike_tenant using (true);
grant select, insert, update on model_switch to turnpike_operator;
grant select on model_switch to turnpike_tenant;
