-- Tells this installation from others that share a directory of cells: its nodes read it, and no other cell has it.
create table cell_identity (
  -- There is one row.
  id boolean primary key default true check (id),
  identity uuid not null default gen_random_uuid()
);
insert into cell_identity default values;
grant select on cell_identity to turnpike_operator;
