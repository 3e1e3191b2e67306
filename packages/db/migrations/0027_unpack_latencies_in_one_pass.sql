-- Taking a part out of a text walks over all that stands before it, so that unpacking a histogram took a time that grows with
-- the square of its digits; taking it out of bytes does not. The answers are the same.
create or replace function unpack_latencies(packed numeric, out buckets smallint[], out counts bigint[])
  language sql immutable parallel safe
  set search_path = pg_catalog, pg_temp
as $$
  with given as materialized (
    select packed::text as digits
  ), padded as materialized (
    select convert_to(lpad(digits, 12 * ((length(digits) + 11) / 12), '0'), 'UTF8') as bytes from given
  )
  select coalesce(array_agg(bucket::smallint order by bucket), '{}'),
    coalesce(array_agg(convert_from(counted, 'UTF8')::bigint order by bucket), '{}')
  from (
    select bucket, substr(bytes, length(bytes) - 12 * bucket - 11, 12) as counted
    from padded, generate_series(0, length(bytes) / 12 - 1) as bucket
  ) latency
  where counted <> '000000000000'::bytea
$$;
