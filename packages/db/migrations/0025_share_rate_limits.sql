-- Rate limits of several nodes on one database. None of it is logged: a crash of the server empties these tables, and buckets that
-- are missing start empty then, so nothing passes twice. A standby has none of them either.
create unlogged table rate_levels (
  bucket text primary key,
  -- Milliseconds of rate_clock_ms() at which the bucket is full again.
  full_at_ms double precision not null
) with (fillfactor = 50);

-- Processes that decide, each until it falls silent.
create unlogged table rate_members (
  member text primary key,
  living_until timestamptz not null
);

-- When the buckets that are missing were empty: one row, gone when the tables were emptied.
create unlogged table rate_starts (
  is_only boolean primary key default true check (is_only),
  started_at_ms double precision not null
);

grant select, insert, update, delete on rate_levels, rate_members, rate_starts to turnpike_operator;

-- Milliseconds since 2026: of a time since 1970, a double would keep too few digits for the fastest limits.
create function rate_clock_ms() returns double precision
  language sql volatile
  set search_path = pg_catalog, pg_temp
as $$
  select (extract(epoch from clock_timestamp()) - 1767225600)::double precision * 1000
$$;

-- The generic cell rate algorithm for a group of requests, one after the other: each takes of all its buckets or of none.
-- `numbers` has for each request: calls, 1 if they are forced, the count of its buckets, and of each the place of its name, the
-- milliseconds between two calls and those of the window. The answer has for each request 1 if it was taken, and then the
-- milliseconds until each of its buckets is full.
create function decide_rates(names text[], numbers double precision[]) returns double precision[]
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  started double precision;
  levels double precision[];
  changed boolean[] := array_fill(false, array[cardinality(names)]);
  answer double precision[] := '{}';
  clock double precision;
  size integer := cardinality(numbers);
  at integer := 1;
  first integer;
  cost double precision;
  is_forced boolean;
  count integer;
  passes boolean;
  place integer;
  step double precision;
  wide double precision;
  level double precision;
  following double precision;
begin
  insert into rate_starts (started_at_ms)
    select rate_clock_ms() where not exists (select from rate_starts) on conflict do nothing;
  select s.started_at_ms into started from rate_starts s;
  -- In one order everywhere, so that two groups never wait for each other. A row may be deleted until it is locked.
  loop
    insert into rate_levels (bucket, full_at_ms)
      select n, '-infinity' from unnest(names) n
      where not exists (select from rate_levels l where l.bucket = n)
      order by n collate "C"
      on conflict do nothing;
    select array_agg(locked.full_at_ms order by n.place) into levels
    from (
      select l.bucket, l.full_at_ms from rate_levels l where l.bucket = any(names)
      order by l.bucket collate "C" for update
    ) locked
    join unnest(names) with ordinality n (name, place) on n.name = locked.bucket;
    exit when cardinality(levels) = cardinality(names);
  end loop;
  clock := rate_clock_ms();
  while at <= size loop
    cost := numbers[at];
    is_forced := numbers[at + 1] = 1;
    count := numbers[at + 2];
    first := at + 3;
    passes := true;
    for index in 0 .. count - 1 loop
      place := numbers[first + 3 * index];
      step := numbers[first + 3 * index + 1];
      wide := numbers[first + 3 * index + 2];
      level := least(greatest(levels[place], started + wide, clock), clock + wide);
      levels[place] := level;
      if not is_forced and level + cost * step - clock - wide > least(step * 0.001, 0.001) then
        passes := false;
      end if;
    end loop;
    answer := answer || (case when passes then 1 else 0 end)::double precision;
    for index in 0 .. count - 1 loop
      place := numbers[first + 3 * index];
      level := levels[place];
      if passes and cost <> 0 then
        step := numbers[first + 3 * index + 1];
        wide := numbers[first + 3 * index + 2];
        following := level + cost * step;
        if is_forced then
          following := least(greatest(following, clock), clock + wide);
        end if;
        levels[place] := following;
        changed[place] := true;
        level := following;
      end if;
      answer := answer || (level - clock);
    end loop;
    at := first + 3 * count;
  end loop;
  update rate_levels l set full_at_ms = levels[n.place]
    from unnest(names) with ordinality n (name, place)
    where l.bucket = n.name and changed[n.place];
  return answer;
end
$$;
revoke execute on function decide_rates(text[], double precision[]) from public;
grant execute on function decide_rates(text[], double precision[]) to turnpike_operator;
