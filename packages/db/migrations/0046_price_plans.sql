-- A plan that is not offered any more. Who has it keeps it.
alter table plans add column archived_at timestamptz;

-- The highest value of one event of a meter that sums; null without a bound.
alter table meters add column value_max numeric check (value_max > 0);
alter table meter_versions add column value_max numeric check (value_max > 0);

-- Invoices are computed from the version of a plan that was sold, so a version never changes, not even for the owner of the table.
create function keep_plan_versions() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  raise exception 'A published version of a plan never changes: publish a new version instead.'
    using errcode = 'integrity_constraint_violation';
end
$$;
create trigger keep_plan_versions before update or delete on plan_versions
  for each row execute function keep_plan_versions();
create trigger keep_all_plan_versions before truncate on plan_versions
  for each statement execute function keep_plan_versions();
