-- What passed beside the store is owed in full also while its bucket owes for an earlier cut-off: a report adds up to what its time
-- gives to what was owed before.

-- decide_rates with places for calls at once. `numbers` begins with the count of places that are given back, and of each the place
-- of its name and how many. Each request has behind its buckets the count of its places, and of each the place of its name, the
-- limit, how many this process may hold while processes may decide alone, and the sender's share in percent or 0. The answer has
-- for each request 1 if it was taken, 0 if a bucket refused it, or below 0 which of its places refused it; then the levels of its
-- buckets, and how many of each of its places are held.
create or replace function decide_limits(me text, names text[], places text[], numbers double precision[]) returns double precision[]
  language plpgsql
  set search_path = pg_catalog, public, pg_temp
as $$
declare
  started double precision;
  levels double precision[] := '{}';
  changed boolean[] := array_fill(false, array[cardinality(names)]);
  totals double precision[] := '{}';
  owns double precision[] := '{}';
  mosts double precision[] := array_fill(0::double precision, array[cardinality(places)]);
  touched boolean[] := array_fill(false, array[cardinality(places)]);
  must_share boolean := false;
  answer double precision[] := '{}';
  clock double precision;
  size integer := cardinality(numbers);
  at integer := 1;
  first integer;
  first_place integer;
  cost double precision;
  passed double precision;
  count integer;
  place_count integer;
  verdict double precision;
  place integer;
  before integer;
  most double precision;
  whole double precision;
  share double precision;
  step double precision;
  wide double precision;
  known double precision;
  level double precision;
  owed double precision;
  following double precision;
begin
  insert into rate_starts (started_at_ms)
    select rate_clock_ms() where not exists (select from rate_starts) on conflict do nothing;
  select s.started_at_ms, rate_clock_ms() < s.share_until_ms
    into started, must_share from rate_starts s;
  if cardinality(places) > 0 then
    -- It is not taken for gone while this goes on.
    perform from rate_members m where m.member = me and m.living_until > clock_timestamp() for key share;
    if not found then
      raise exception 'The process % was taken for gone', me;
    end if;
  end if;
  -- In one order everywhere, so that two groups never wait for each other. A row may be deleted until it is locked.
  while cardinality(levels) < cardinality(names) loop
    insert into rate_levels (bucket, full_at_ms)
      select n, '-infinity' from unnest(names) n
      where not exists (select from rate_levels l where l.bucket = n)
      order by n collate "C"
      on conflict do nothing;
    select coalesce(array_agg(locked.full_at_ms order by n.place), '{}') into levels
    from (
      select l.bucket, l.full_at_ms from rate_levels l where l.bucket = any(names)
      order by l.bucket collate "C" for update
    ) locked
    join unnest(names) with ordinality n (name, place) on n.name = locked.bucket;
  end loop;
  while cardinality(totals) < cardinality(places) loop
    insert into rate_places (place, held)
      select n, 0 from unnest(places) n
      where not exists (select from rate_places p where p.place = n)
      order by n collate "C"
      on conflict do nothing;
    select coalesce(array_agg(locked.held order by n.place), '{}') into totals
    from (
      select p.place as name, p.held from rate_places p where p.place = any(places)
      order by p.place collate "C" for update
    ) locked
    join unnest(places) with ordinality n (name, place) on n.name = locked.name;
  end loop;
  if cardinality(places) > 0 then
    select array_agg(coalesce(h.held, 0) order by n.place) into owns
    from unnest(places) with ordinality n (name, place)
    left join rate_holds h on h.member = me and h.place = n.name;
  end if;
  clock := rate_clock_ms();
  count := numbers[1];
  for index in 1 .. count loop
    place := numbers[2 * index];
    cost := least(numbers[2 * index + 1], owns[place]);
    owns[place] := owns[place] - cost;
    totals[place] := greatest(0, totals[place] - cost);
    touched[place] := true;
  end loop;
  at := 2 + 2 * count;
  while at <= size loop
    cost := numbers[at];
    passed := numbers[at + 1];
    count := numbers[at + 2];
    first := at + 3;
    place_count := numbers[first + 3 * count];
    first_place := first + 3 * count + 1;
    verdict := 1;
    for index in 0 .. count - 1 loop
      place := numbers[first + 3 * index];
      step := numbers[first + 3 * index + 1];
      wide := numbers[first + 3 * index + 2];
      level := least(greatest(levels[place], started + wide, clock), clock + wide + greatest(wide, 60000));
      if passed = 0 and cost > 0 and level + cost * step - clock - wide > least(step * 0.001, 0.001) then
        verdict := 0;
      end if;
    end loop;
    if cost > 0 then
      before := null;
      for index in 0 .. place_count - 1 loop
        place := numbers[first_place + 4 * index];
        most := numbers[first_place + 4 * index + 1];
        share := numbers[first_place + 4 * index + 3];
        if totals[place] + cost > most
          or (must_share and owns[place] + cost > numbers[first_place + 4 * index + 2])
          or (share > 0 and share < 100 and before is not null and totals[place] > 0
            and (totals[place] + cost) * (100 - share) > (whole - totals[before] - cost) * share)
        then
          verdict := -1 - index;
          exit;
        end if;
        before := place;
        whole := most;
      end loop;
    end if;
    answer := answer || verdict;
    for index in 0 .. count - 1 loop
      place := numbers[first + 3 * index];
      step := numbers[first + 3 * index + 1];
      wide := numbers[first + 3 * index + 2];
      owed := greatest(wide, 60000);
      known := greatest(levels[place], started + wide);
      level := least(greatest(known, clock), clock + wide + owed);
      if verdict = 1 and cost <> 0 then
        following := level + cost * step;
        if passed > 0 and cost > 0 then
          following := greatest(known, clock - (passed - 1));
          following := greatest(level, least(
            following + cost * step,
            greatest(clock + wide + greatest(wide, passed - 1), following + least(cost * step, passed - 1)),
            clock + wide + owed));
        elsif passed > 0 then
          following := greatest(following, clock);
        end if;
        levels[place] := following;
        changed[place] := true;
        level := following;
      end if;
      answer := answer || (level - clock);
    end loop;
    for index in 0 .. place_count - 1 loop
      place := numbers[first_place + 4 * index];
      if verdict = 1 and cost > 0 then
        totals[place] := totals[place] + cost;
        owns[place] := owns[place] + cost;
        mosts[place] := numbers[first_place + 4 * index + 1];
        touched[place] := true;
      end if;
      answer := answer || totals[place];
    end loop;
    at := first_place + 4 * place_count;
  end loop;
  if cardinality(names) > 0 then
    update rate_levels l set full_at_ms = levels[n.place]
      from unnest(names) with ordinality n (name, place)
      where l.bucket = n.name and changed[n.place];
  end if;
  if true = any(touched) then
    update rate_places p set held = totals[n.place]
      from unnest(places) with ordinality n (name, place)
      where p.place = n.name and touched[n.place];
    insert into rate_holds (member, place, held, most)
      select me, n.name, owns[n.place], mosts[n.place]
      from unnest(places) with ordinality n (name, place) where touched[n.place]
      on conflict on constraint rate_holds_pkey do update set
        held = excluded.held,
        most = case when excluded.most > 0 then excluded.most else rate_holds.most end;
  end if;
  return answer;
end
$$;
