-- What changed over all tenants, by its cause. Only operators see it.
create table installation_insights (
  insight_id text primary key,
  fingerprint text not null unique,
  kind text not null,
  -- Text, confidence, evidence and action, as in the contract package.
  facts jsonb not null,
  since timestamptz not null,
  -- When it was last found.
  seen_at timestamptz not null,
  ended_at timestamptz,
  dismissed_at timestamptz,
  is_useful boolean,
  rated_at timestamptz
);

-- When the usage of all tenants was last looked at, and how much of it there was.
create table installation_insight_check (
  is_only boolean primary key default true check (is_only),
  checked_at timestamptz not null,
  history_hours int not null
);

do $$
declare
  table_name text;
begin
  foreach table_name in array array['installation_insights', 'installation_insight_check'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
  end loop;
end
$$;
grant select, insert, update, delete on installation_insights to turnpike_operator;
grant select, insert, update on installation_insight_check to turnpike_operator;

-- Evidence names its route and what it leaves out from now on. The owner of a table stands outside of its policies only without force.
alter table insights no force row level security;
update insights set facts = jsonb_set(jsonb_set(facts, '{evidence,others}', '[]'), '{evidence,route}', 'null')
where jsonb_typeof(facts -> 'evidence') = 'object';
alter table insights force row level security;
