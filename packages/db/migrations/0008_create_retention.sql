-- From when on usage is kept, by class; null: from its beginning. What lies before is dropped or about to be: comparisons
-- and charts leave it out.
create table usage_history (
  class text primary key check (class in ('minutes', 'hours', 'ledger')),
  -- Start of a month, UTC.
  kept_from timestamptz,
  -- What retention believes the time to be: it follows the clock in bounded steps, so that a clock that jumps drops nothing.
  believed_at timestamptz not null default now()
);
grant select on usage_history to turnpike_tenant, turnpike_operator;
grant select, update on usage_history to turnpike_meter;

insert into usage_history (class) values ('minutes'), ('hours'), ('ledger');

-- The tables of usage, the class that each belongs to and the time that places a row in it: of the ledger when it was recorded,
-- as on invoices, of the others when it occurred, as on charts.
create function usage_tables() returns table (table_name text, class text, time_column text)
  language sql immutable
  set search_path = pg_catalog, pg_temp
as $$
  values ('usage_rollups', 'minutes', 'occurred_at'),
    ('usage_rollups_hourly', 'hours', 'occurred_at'),
    ('meter_rollups', 'hours', 'occurred_at'),
    ('meter_uniques', 'hours', 'occurred_at'),
    ('ledger_entries', 'ledger', 'recorded_at')
$$;

-- Makes the partitions of this month and the coming ones. Commits go on meanwhile: what is new is filled and checked by itself,
-- then attached under a lock that no commit needs. What cannot be had at once is left to the next run.
--
-- Rows that came while there was no partition of their month are taken into it, unless there are more than `rows_max`: then
-- they stay where they are, and are counted in `stranded`.
create function make_usage_partitions(months_ahead int, rows_max int, out made int, out stranded bigint)
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
  set lock_timeout = '250ms'
  set timezone = 'UTC'
as $$
declare
  usage record;
  month timestamptz;
  part text;
  waiting bigint;
begin
  made := 0;
  stranded := 0;
  if months_ahead not between 0 and 24 then
    raise exception 'Months ahead are 0 to 24, not %.', months_ahead using errcode = 'invalid_parameter_value';
  end if;
  -- One at a time: the others find that it is done.
  if not pg_try_advisory_xact_lock(7163023) then
    return;
  end if;
  for usage in select * from usage_tables() loop
    for month in
      select generate_series(date_trunc('month', now()), date_trunc('month', now()) + months_ahead * interval '1 month',
        interval '1 month')
    loop
      part := usage.table_name || to_char(month, '"_"YYYYMM');
      continue when to_regclass('public.' || part) is not null or exists (
        select from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = ('public.' || usage.table_name)::regclass and c.relname ~ '_until_\d{6}$'
          and to_char(month, 'YYYYMM') < right(c.relname, 6));
      begin
        execute format('select count(*) from (select from public.%I where %I >= %L and %I < %L limit %s) rows',
          usage.table_name || '_default', usage.time_column, month, usage.time_column, month + interval '1 month',
          rows_max + 1) into waiting;
        if waiting > rows_max then
          stranded := stranded + waiting;
          continue;
        end if;
        execute format('create table public.%I (like public.%I including all)', part, usage.table_name);
        if usage.class = 'hours' then
          -- Rows of the running hour are changed again and again, in their page.
          execute format('alter table public.%I set (fillfactor = 70)', part);
        end if;
        if waiting > 0 then
          execute format('lock table public.%I in access exclusive mode', usage.table_name || '_default');
          execute format('with late as (delete from public.%I where %I >= %L and %I < %L returning *)
            insert into public.%I select * from late', usage.table_name || '_default', usage.time_column, month,
            usage.time_column, month + interval '1 month', part);
        end if;
        execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)', usage.table_name,
          part, month, month + interval '1 month');
        made := made + 1;
      exception
        -- A reader holds what would have to be locked; a commit came between; the clock is where a partition was already.
        when lock_not_available or check_violation or invalid_object_definition or duplicate_table or deadlock_detected then null;
      end;
    end loop;
  end loop;
end
$$;

-- Takes one partition that lies wholly before what its class keeps out of its table: a short lock that commits wait for, 250 ms
-- at the longest. Its rows are deleted by the next function, in a transaction of its own.
create function detach_old_usage() returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
  set lock_timeout = '250ms'
  set timezone = 'UTC'
as $$
declare
  oldest record;
begin
  if not pg_try_advisory_xact_lock(7163023) then
    return null;
  end if;
  select u.table_name, c.relname into oldest
  from usage_tables() u
  join usage_history h on h.class = u.class and h.kept_from is not null
  join pg_inherits i on i.inhparent = ('public.' || u.table_name)::regclass
  join pg_class c on c.oid = i.inhrelid and c.relname ~ '_\d{6}$'
  -- However little is to be kept: not what late events, journals and charts still write to or need.
  where to_date(right(c.relname, 6), 'YYYYMM') + case when c.relname ~ '_until_\d{6}$' then interval '0' else interval '1 month' end
    <= least(h.kept_from, now() - case u.class when 'ledger' then interval '400 days' else interval '40 days' end)
  order by right(c.relname, 6), c.relname
  limit 1;
  if not found then
    return null;
  end if;
  execute format('alter table public.%I detach partition public.%I', oldest.table_name, oldest.relname);
  return oldest.relname;
end
$$;

-- Deletes one partition that was taken out of its table. Returns its name.
create function drop_detached_usage() returns text
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
  set lock_timeout = '250ms'
as $$
declare
  part text;
begin
  if not pg_try_advisory_xact_lock(7163023) then
    return null;
  end if;
  select c.relname into part
  from usage_tables() u join pg_class c on c.relname ~ ('^' || u.table_name || '(_until)?_\d{6}$')
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
  order by c.relname
  limit 1;
  if part is not null then
    execute format('drop table public.%I', part);
  end if;
  return part;
end
$$;

-- Deletes rows that lie before what their class keeps and are in no month's partition: imported later, or recorded
-- while their partition was missing. At most `rows_max` of each table; returns how many.
create function sweep_old_usage(rows_max int) returns bigint
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  usage record;
  swept bigint := 0;
  count bigint;
begin
  for usage in
    select u.*, least(h.kept_from, now() - case u.class when 'ledger' then interval '400 days' else interval '40 days' end) as before
    from usage_tables() u join usage_history h on h.class = u.class where h.kept_from is not null
  loop
    execute format('delete from public.%I where ctid = any (array(select ctid from public.%I where %I < %L limit %s))',
      usage.table_name || '_default', usage.table_name || '_default', usage.time_column, usage.before, rows_max);
    get diagnostics count = row_count;
    swept := swept + count;
  end loop;
  return swept;
end
$$;
revoke execute on function make_usage_partitions(int, int), detach_old_usage(), drop_detached_usage(), sweep_old_usage(int)
  from public;
grant execute on function make_usage_partitions(int, int), detach_old_usage(), drop_detached_usage(), sweep_old_usage(int)
  to turnpike_meter;

-- What lies before the first month's end is in one partition, however long ago: history that is imported, and demos.
do $$
declare
  boundary timestamptz := date_trunc('month', now(), 'UTC') + interval '1 month';
  usage record;
begin
  for usage in select * from usage_tables() loop
    execute format('create table %I partition of %I for values from (minvalue) to (%L) %s',
      usage.table_name || to_char(boundary at time zone 'UTC', '"_until_"YYYYMM'), usage.table_name, boundary,
      case when usage.class = 'hours' then 'with (fillfactor = 70)' else '' end);
  end loop;
end
$$;
select make_usage_partitions(3, 100000);
