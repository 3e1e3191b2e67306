-- Tenants that move between cells, each cell being an installation of its own. A tenant is in one place at any time: in its tables,
-- or parked, or in the tables of the other cell: nothing of it is left where it was.

-- The last move of each tenant that came here or left.
create table tenant_moves (
  tenant_id text primary key,
  move_id text not null,
  direction text not null check (direction in ('out', 'in')),
  -- As the directory of cells calls it; empty without a directory.
  other_cell text not null,
  -- 'closing': calls are refused. 'parked': its rows are in parked_rows and nowhere else, or on their way. 'done': the other cell has
  -- it, or for one that came: this one has. 'cancelled': it was to come, and does not.
  state text not null check (state in ('closing', 'parked', 'done', 'cancelled')),
  -- True within the transaction that parks or takes in its rows.
  is_open boolean not null default false,
  -- What it was called, for those who ask for it.
  name text not null,
  slug text not null,
  -- Of one that came: up to which parked row of the other cell what was recorded there late is here.
  late_to bigint not null default 0,
  started_at timestamptz not null,
  changed_at timestamptz not null
);
grant select, insert, update, delete on tenant_moves to turnpike_operator;

-- Rows of tenants on their way, each as PostgreSQL writes a row of its table.
create table parked_rows (
  tenant_id text not null,
  position bigint generated always as identity,
  table_name text not null,
  content text not null,
  primary key (tenant_id, position)
);
create index parked_rows_by_table on parked_rows (tenant_id, table_name, position);
grant select, insert, delete on parked_rows to turnpike_operator;

-- Files of tenants on their way: the sweep must not take them for left over.
create table parked_files (
  tenant_id text not null,
  file_id text not null,
  primary key (tenant_id, file_id)
);
create index parked_files_by_file on parked_files (file_id);
grant select, insert, delete on parked_files to turnpike_operator;

-- Numbers that this cell gave out to documents which are now elsewhere: its series have no gap there.
create table moved_numbers (
  tenant_id text not null,
  series text not null references document_series,
  series_number bigint not null,
  primary key (tenant_id, series, series_number),
  unique (series, series_number)
);
grant select, insert, delete on moved_numbers to turnpike_operator;

-- The functions below write them as the owner of the tables.
do $$
declare
  table_name text;
begin
  foreach table_name in array array['tenant_moves', 'parked_rows', 'parked_files', 'moved_numbers'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
    execute format('create policy owner_rows on %I to current_user using (true) with check (true)', table_name);
  end loop;
end
$$;

-- A series of another cell, of documents that came with their tenants. No number is given out of it here.
alter table document_series add column is_foreign boolean not null default false;

-- The line of a statement stays with the operator who imported it. The payment that it matches may move with its tenant.
alter table statement_lines drop constraint statement_lines_payment_id_fkey;

-- The functions below run as the owner of the tables, whom row-level security binds as well. It sees what moves, while it does.
do $$
declare
  table_name text;
begin
  for table_name in
    select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relrowsecurity
      and c.relname not in ('tenant_moves', 'parked_rows', 'parked_files', 'moved_numbers')
    order by c.relname
  loop
    execute format('create policy on_its_way on %I to current_user
      using (tenant_id in (select m.tenant_id from tenant_moves m where m.is_open))
      with check (tenant_id in (select m.tenant_id from tenant_moves m where m.is_open))', table_name);
  end loop;
end
$$;

create function is_on_its_way(tenant text) returns boolean
  language sql stable
  set search_path = pg_catalog, public, pg_temp
  return exists (select from tenant_moves m where m.tenant_id = tenant and m.is_open);
revoke execute on function is_on_its_way from public;
grant execute on function is_on_its_way to turnpike_operator;

-- As in 0013; documents of a tenant that leaves go with it.
create or replace function refuse_change_of_document() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  mutable text[] := tg_argv[0]::text[];
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - mutable = to_jsonb(old) - mutable then
    return new;
  end if;
  if tg_op = 'DELETE' and (is_on_its_way(to_jsonb(old) ->> 'tenant_id') or is_removed_demo_document(to_jsonb(old))) then
    return old;
  end if;
  raise exception 'Documents of % are issued: they are corrected by credit notes, not changed.', tg_table_name
    using errcode = 'TP409';
end
$$;

-- As in 0015; credit of a tenant that leaves goes with it.
create or replace function refuse_change_of_credit() returns trigger
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  if tg_op = 'DELETE' and (is_on_its_way(old.tenant_id) or exists (
    select from public.tenants t
    where t.tenant_id = old.tenant_id and t.deleted_at is not null and t.external_id like 'turnpike-demo:%'
  )) then
    return old;
  end if;
  raise exception 'Credit of % is written once: it is corrected by further entries.', tg_table_name using errcode = 'TP409';
end
$$;

create function assert_on_its_way(tenant text, wanted text) returns void
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  perform from tenant_moves m where m.tenant_id = tenant and m.direction = wanted and m.is_open;
  if not found then
    raise exception '% is not on its way.', tenant using errcode = 'insufficient_privilege';
  end if;
  -- The owner is a member of the roles of the server, so the policies of a tenant's own rows hold for it too.
  perform set_config('app.tenant', tenant, true);
end
$$;
revoke execute on function assert_on_its_way from public;

-- Takes the rows of a leaving tenant out of one of its tables and parks them, in the order of a column. Tables that refer to others
-- come before those. Returns how many.
create function park_rows(leaving text, from_table text, in_order_of text) returns bigint
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  before text := current_setting('app.tenant', true);
  parked bigint;
begin
  perform assert_on_its_way(leaving, 'out');
  execute format(
    'with gone as (delete from public.%1$I r where r.tenant_id = $1 returning r.*)
    insert into public.parked_rows (tenant_id, table_name, content)
    select $1, %1$L, g::text from gone g %2$s',
    from_table, case when in_order_of is null then '' else format('order by g.%I', in_order_of) end)
    using leaving;
  get diagnostics parked = row_count;
  perform set_config('app.tenant', coalesce(before, ''), true);
  return parked;
end
$$;

-- Counts rows of a table and sums a checksum of the named columns: of those that are parked, or of those that are there. `names` says
-- what people are called in the other cell, for the columns in `renamed`.
create function sum_rows(of_tenant text, of_table text, columns text[], renamed text[], names jsonb, are_parked boolean,
  out rows bigint, out checksum numeric)
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  before text := current_setting('app.tenant', true);
  part text;
begin
  if not are_parked and not is_on_its_way(of_tenant) then
    raise exception '% is not on its way.', of_tenant using errcode = 'insufficient_privilege';
  end if;
  perform set_config('app.tenant', of_tenant, true);
  select string_agg(case when c.name = any(renamed) then format('coalesce($2 ->> r.%1$I, r.%1$I)', c.name)
      else format('r.%I', c.name) end, ', ' order by c.place)
    into part
  from unnest(columns) with ordinality as c (name, place);
  execute format(
    'select count(*), coalesce(sum((''x'' || left(md5(row(%2$s)::text), 16))::bit(64)::bigint::numeric), 0) from %1$s',
    case when are_parked then format(
      '(select (q.c).* from (
        select p.content::public.%1$I as c from public.parked_rows p where p.tenant_id = $1 and p.table_name = %1$L offset 0
      ) q) r', of_table)
      else format('(select * from public.%I where tenant_id = $1) r', of_table) end,
    part)
    into rows, checksum using of_tenant, names;
  perform set_config('app.tenant', coalesce(before, ''), true);
end
$$;

-- Adds rows of a tenant that arrives to one of its tables, in their order. Only the named columns are taken; the others are numbered
-- here, or have their defaults. `names` says what people are called here, for the columns in `renamed`.
create function take_in_rows(arriving text, into_table text, columns text[], renamed text[], names jsonb, contents text[])
  returns bigint
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  before text := current_setting('app.tenant', true);
  taken text;
  read text;
  added bigint;
begin
  perform assert_on_its_way(arriving, 'in');
  select string_agg(format('%I', c.name), ', ' order by c.place),
    string_agg(case when c.name = any(renamed) then format('coalesce($3 ->> (r).%1$I, (r).%1$I)', c.name)
      else format('(r).%I', c.name) end, ', ' order by c.place)
    into taken, read
  from unnest(columns) with ordinality as c (name, place);
  execute format(
    'insert into public.%1$I (%2$s)
    select %3$s from (
      select c.content::public.%1$I as r, c.place from unnest($2) with ordinality as c (content, place) offset 0
    ) given
    where (r).tenant_id = $1 order by given.place', into_table, taken, read)
    using arriving, contents, names;
  get diagnostics added = row_count;
  perform set_config('app.tenant', coalesce(before, ''), true);
  return added;
end
$$;

-- Adds what the other cell recorded of a tenant after it had parked it: sums are added to, and entries are recorded now, so that the
-- next invoice has them.
create function add_late_rows(arriving text, into_table text, columns text[], key text[], sums text[], contents text[])
  returns bigint
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  before text := current_setting('app.tenant', true);
  recorded timestamptz := stamp_usage();
  taken text;
  read text;
  added bigint;
begin
  perform assert_on_its_way(arriving, 'in');
  select string_agg(format('%I', c.name), ', ' order by c.place),
    string_agg(case when into_table = 'ledger_entries' and c.name = 'recorded_at' then '$3' else format('(r).%I', c.name) end, ', '
      order by c.place)
    into taken, read
  from unnest(columns) with ordinality as c (name, place);
  execute format(
    'insert into public.%1$I as t (%2$s)
    select %3$s from (
      select c.content::public.%1$I as r, c.place from unnest($2) with ordinality as c (content, place) offset 0
    ) given
    where (r).tenant_id = $1 and $3 is not null order by given.place %4$s', into_table, taken, read,
    case when cardinality(sums) = 0 then 'on conflict do nothing' else
      (select format('on conflict (%s) do update set %s',
        (select string_agg(format('%I', k), ', ') from unnest(key) k),
        string_agg(format('%1$I = t.%1$I + excluded.%1$I', s), ', ')) from unnest(sums) s) end)
    using arriving, contents, recorded;
  get diagnostics added = row_count;
  perform set_config('app.tenant', coalesce(before, ''), true);
  return added;
end
$$;

-- Parks the series of the documents of a leaving tenant, after its documents are parked. Its own series leave with it; of those that
-- count here, the numbers of its documents are noted.
create function park_series(leaving text) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  before text := current_setting('app.tenant', true);
begin
  perform assert_on_its_way(leaving, 'out');
  with numbered as (
    select (p.content::public.invoices).series as series, (p.content::public.invoices).series_number as number
    from parked_rows p where p.tenant_id = leaving and p.table_name = 'invoices'
    union all
    select (p.content::public.credit_notes).series, (p.content::public.credit_notes).series_number
    from parked_rows p where p.tenant_id = leaving and p.table_name = 'credit_notes'
  ), parked as (
    insert into parked_rows (tenant_id, table_name, content)
    select leaving, 'document_series', s::text from document_series s
    where s.series in (select n.series from numbered n) or is_own_series(s.series, leaving)
  )
  insert into moved_numbers (series, series_number, tenant_id)
  select n.series, n.number, leaving from numbered n join document_series s using (series)
  where not s.is_foreign and not is_own_series(s.series, leaving);
  delete from document_series s where is_own_series(s.series, leaving);
  perform set_config('app.tenant', coalesce(before, ''), true);
end
$$;

-- Makes the series that documents of an arriving tenant are numbered in, before the documents. Numbers that were given out here come
-- back. Fails with TP409 when this cell gives out numbers of a series that another one gave out too.
create function take_in_series(arriving text, contents text[], numbers jsonb) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  before text := current_setting('app.tenant', true);
  came record;
  here record;
  returned bigint;
begin
  perform assert_on_its_way(arriving, 'in');
  for came in select (c::public.document_series).* from unnest(contents) c order by c loop
    select * into here from document_series s where s.series = came.series for update;
    if not found then
      insert into document_series (series, next, last_issued_at, is_foreign)
      values (came.series, came.next, came.last_issued_at, not is_own_series(came.series, arriving));
    elsif not here.is_foreign then
      delete from moved_numbers m
      where m.series = came.series and m.tenant_id = arriving
        and m.series_number in (select n::bigint from jsonb_array_elements_text(numbers -> came.series) n);
      get diagnostics returned = row_count;
      if returned <> jsonb_array_length(coalesce(numbers -> came.series, '[]')) then
        raise exception 'Both cells give out numbers of the series %.', came.series using errcode = 'TP409';
      end if;
    end if;
  end loop;
  perform set_config('app.tenant', coalesce(before, ''), true);
end
$$;

-- Usage recorded here from now on is later than what another cell recorded even when the clock here is behind: what is billed goes on from
-- there. The clocks may differ by a minute.
create function raise_cut_off(recorded_to timestamptz) returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, public, pg_temp
as $$
begin
  if recorded_to > clock_timestamp() + interval '1 minute' then
    raise exception 'The clock of this database is more than a minute behind that of the other cell.' using errcode = 'TP409';
  end if;
  perform public.lock_within_a_second(7163031);
  update public.usage_cut_off c set cut_off_at = greatest(c.cut_off_at, date_trunc('milliseconds', recorded_to) + interval '1 millisecond')
  where recorded_to > c.cut_off_at;
end
$$;

revoke execute on function park_rows, sum_rows, take_in_rows, add_late_rows, park_series, take_in_series, raise_cut_off from public;
grant execute on function park_rows, sum_rows, take_in_rows, add_late_rows, park_series, take_in_series, raise_cut_off
  to turnpike_operator;
