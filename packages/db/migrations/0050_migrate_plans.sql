-- Subscribers of a plan are read page by page.
create index tenant_entitlements_by_plan on tenant_entitlements (plan_id, tenant_id);

-- Moves of the subscribers of a plan to another version, one after the other.
create table plan_migrations (
  migration_id text primary key,
  plan_id text not null,
  -- Null for every version but to_version.
  from_version int,
  to_version int not null,
  moves_at text not null check (moves_at in ('now', 'period_end')),
  state text not null check (state in ('running', 'done', 'cancelled', 'failed')),
  -- Subscribers up to here are done, in the order of their ids; null for none.
  after_tenant text,
  moved int not null default 0,
  unchanged int not null default 0,
  failed int not null default 0,
  -- The first of those that failed: tenantId and reason.
  failures jsonb not null default '[]' check (jsonb_typeof(failures) = 'array'),
  created_at timestamptz not null,
  created_by text not null,
  finished_at timestamptz,
  foreign key (plan_id, to_version) references plan_versions (plan_id, version)
);
create index plan_migrations_by_plan on plan_migrations (plan_id, migration_id);
create unique index plan_migrations_one on plan_migrations (plan_id) where state = 'running';
grant select, insert, update on plan_migrations to turnpike_operator;
