-- The histogram of an hour becomes one number with 12 decimal digits for each bucket, the calls of bucket 0 being the last
-- ones: histograms are then merged by adding these numbers, which takes a tenth of the time, in charts as in commits.
-- Minutes keep their arrays: of a few calls they are the shorter form.

-- The number of a histogram; 0 without calls.
create function pack_latencies(buckets smallint[], counts bigint[]) returns numeric
  language sql immutable parallel safe
  set search_path = pg_catalog, pg_temp
as $$
  select coalesce(sum((calls::text || 'e' || 12 * bucket)::numeric), 0)
  from unnest(buckets, counts) as latency (bucket, calls)
$$;

-- The histogram of a number.
create function unpack_latencies(packed numeric, out buckets smallint[], out counts bigint[])
  language sql immutable parallel safe
  set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(bucket::smallint order by bucket), '{}'), coalesce(array_agg(calls order by bucket), '{}')
  from (
    select bucket, substr(digits, length(digits) - 12 * bucket - 11, 12)::bigint as calls
    from (select lpad(packed::text, 12 * ((length(packed::text) + 11) / 12), '0') as digits) padded,
      generate_series(0, length(digits) / 12 - 1) as bucket
  ) latency
  where calls > 0
$$;

-- One pass over the table, which leaves no dead rows behind.
alter table usage_rollups_hourly
  drop constraint usage_rollups_latency_pairs,
  alter column latency_counts drop default,
  alter column latency_counts type numeric using pack_latencies(latency_buckets, latency_counts),
  alter column latency_counts set default 0,
  drop column latency_buckets;
alter table usage_rollups_hourly rename column latency_counts to latencies;
alter table usage_rollups_hourly add constraint usage_rollups_hourly_latencies check (latencies >= 0);
