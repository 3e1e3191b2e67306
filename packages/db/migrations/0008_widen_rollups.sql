-- What charts read: sums of the ledger by minute, now by method and route as well, with what the ledger does not keep.
alter table usage_rollups
  -- One of the methods of the domain package; '' when unknown: a verification, or a call from before this column.
  add column method text not null default '' check (char_length(method) <= 16),
  -- Template of the path such as /users/{id}; '' when unknown.
  add column route text not null default '' check (char_length(route) <= 200),
  -- Bytes of bodies that clients sent and got; after an upgrade everything on the connection.
  add column bytes_in bigint not null default 0 check (bytes_in >= 0),
  add column bytes_out bigint not null default 0 check (bytes_out >= 0),
  -- Histogram of latencies: buckets of latency-histogram.ts, ascending, and how many calls fell into each. Empty when unknown.
  add column latency_buckets smallint[] not null default '{}',
  add column latency_counts bigint[] not null default '{}',
  add constraint usage_rollups_latency_pairs check (cardinality(latency_buckets) = cardinality(latency_counts)),
  drop constraint usage_rollups_pkey,
  add constraint usage_rollups_pkey
    primary key (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route);

-- Adds one histogram to another. Commits add a few calls to rows that know many buckets, so that each bucket is sought in the
-- ascending list and counted in place: a fifth of the time that sorting both anew takes.
create function merge_latencies(
  own_buckets smallint[], own_counts bigint[], added_buckets smallint[], added_counts bigint[],
  out buckets smallint[], out counts bigint[]
)
  language plpgsql immutable parallel safe
as $$
declare
  place int;
begin
  if cardinality(own_buckets) = 0 then
    buckets := added_buckets;
    counts := added_counts;
    return;
  end if;
  buckets := own_buckets;
  counts := own_counts;
  for item in 1..cardinality(added_buckets) loop
    -- How many buckets of the list are not above this one.
    place := width_bucket(added_buckets[item], buckets);
    if place > 0 and buckets[place] = added_buckets[item] then
      counts[place] := counts[place] + added_counts[item];
    else
      buckets := buckets[:place] || added_buckets[item] || buckets[place + 1:];
      counts := counts[:place] || added_counts[item] || counts[place + 1:];
    end if;
  end loop;
end
$$;

-- The same sums by hour, counted in UTC: what charts of days and months read.
create table usage_rollups_hourly (like usage_rollups including all);

-- Every commit changes the rows of the running minute and hour: with room in their page they are changed in place, and no
-- index grows with them.
alter table usage_rollups set (fillfactor = 70);
alter table usage_rollups_hourly set (fillfactor = 70);

-- An operator's charts read a range of time over all tenants. Rows arrive in the order of time, so a summary of each stretch
-- of the table is enough, and costs writers next to nothing.
create index usage_rollups_by_time on usage_rollups using brin (occurred_at)
  with (pages_per_range = 32, autosummarize = on);
create index usage_rollups_hourly_by_time on usage_rollups_hourly using brin (occurred_at)
  with (pages_per_range = 32, autosummarize = on);

alter table usage_rollups_hourly enable row level security;
alter table usage_rollups_hourly force row level security;
create policy tenant_rows on usage_rollups_hourly for select to turnpike_tenant using (tenant_id = current_tenant());
create policy meter_rows on usage_rollups_hourly to turnpike_meter using (true) with check (true);
create policy operator_rows on usage_rollups_hourly for select to turnpike_operator using (true);
grant select, insert, update on usage_rollups_hourly to turnpike_meter;
grant select on usage_rollups_hourly to turnpike_tenant, turnpike_operator;

-- Row-level security binds the owner too: only as the meter are there rows to read.
set local role turnpike_meter;
insert into usage_rollups_hourly (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, method, route,
  calls, quantity)
select tenant_id, date_trunc('hour', occurred_at, 'UTC'), meter_id, environment, key_id, outcome, status, method, route,
  sum(calls), sum(quantity)
from usage_rollups
group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
reset role;
