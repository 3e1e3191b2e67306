-- The log of calls is in another engine. Here is what names it, and what is known to be missing there. No number is made from either.

-- `log_id` is part of the name of the table there, so that installations may share a database of that engine.
create table call_log (
  is_only boolean primary key default true check (is_only),
  log_id text not null
);

-- How many calls of all tenants, by the minute in which they began, could not be written there.
create table unlogged_calls (
  minute timestamptz primary key,
  calls bigint not null check (calls > 0)
);

grant select, insert on call_log to turnpike_operator;
grant select, insert, update, delete on unlogged_calls to turnpike_operator;
