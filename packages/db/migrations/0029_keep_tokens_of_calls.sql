-- What a recent call of an API that answers with tokens used, by kind; null for every other call, and where nothing is billed.
alter table recent_calls
  add column model text not null default '',
  add column input_tokens bigint,
  add column cache_read_tokens bigint,
  add column cache_write_tokens bigint,
  add column output_tokens bigint;
