-- Members of a tenant when it left for another cell: the old console says to them where it is now, and to strangers nothing. The rows are of
-- the cell that it left, and go when it comes back, or with the account of the person.
create table moved_members (
  tenant_id text not null references tenant_moves,
  user_id text not null references users on delete cascade,
  primary key (tenant_id, user_id)
);
-- Asked for each person who signs in.
create index moved_members_by_user on moved_members (user_id);
grant select, insert, delete on moved_members to turnpike_operator;

alter table moved_members enable row level security;
alter table moved_members force row level security;
create policy operator_rows on moved_members to turnpike_operator using (true) with check (true);
