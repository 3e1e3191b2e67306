-- Without pg_temp at the end of the path it is searched first: a temporary table named changes would stand in for the real one.
alter function record_change(text, text, text) set search_path = pg_catalog, public, pg_temp;
revoke execute on function record_change(text, text, text) from public;
grant execute on function record_change(text, text, text) to turnpike_tenant, turnpike_operator;
