-- Parts of access logs that were imported, kept for ever: what makes importing a log twice the same as once. The parts of a log
-- are a chain: each is named by a digest of everything up to its start and up to its end.
create table imported_history (
  start_digest text not null,
  end_digest text not null,
  -- Digest of the rules by which the lines were given to tenants.
  scope text not null,
  -- Everybody whom these rules name.
  tenant_ids text[] not null,
  lines integer not null check (lines > 0),
  -- Characters of a last line without an end, which may be longer the next time; null for whole lines.
  open_length integer check (open_length > 0),
  -- CRC-32 of each line, 4 bytes big-endian: a shorter copy of the log ends in the middle of a part.
  line_checksums bytea not null check (octet_length(line_checksums) = 4 * lines),
  calls integer not null check (calls >= 0),
  imported_at timestamptz not null default now(),
  primary key (start_digest, end_digest, scope)
);
-- Their beginnings are compared, without the rest being read.
alter table imported_history alter column line_checksums set storage external;

alter table imported_history enable row level security;
alter table imported_history force row level security;
create policy meter_rows on imported_history to turnpike_meter using (true) with check (true);
create policy operator_rows on imported_history for select to turnpike_operator using (true);
grant select, insert, update on imported_history to turnpike_meter;
grant select on imported_history to turnpike_operator;
