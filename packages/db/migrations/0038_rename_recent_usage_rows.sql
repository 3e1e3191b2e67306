-- A row of recent usage has an id like any other row.
alter table recent_usage rename column part_id to row_id;
alter sequence recent_usage_part_id_seq rename to recent_usage_row_id_seq;
