-- The calls of a purged tenant go with it, before they are old. `for delete` needs `for select` as well, which the operator has.
do $$
declare
  table_name text;
begin
  foreach table_name in array array['recent_calls', 'omitted_calls'] loop
    execute format('create policy operator_deletes on %I for delete to turnpike_operator using (true)', table_name);
    execute format('grant delete on %I to turnpike_operator', table_name);
  end loop;
end
$$;
