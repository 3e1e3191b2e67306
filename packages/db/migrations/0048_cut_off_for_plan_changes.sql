-- An operator's change of a plan is billed in the transaction that changes the tenant, which takes its own cut-off.
grant execute on function cut_off_usage() to turnpike_operator;
