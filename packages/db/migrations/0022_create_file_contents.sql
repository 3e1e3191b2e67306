-- Contents of files, for installations that keep them in the database: any process then serves any of them. One row for each
-- writing of a file; its bytes are in file_chunks. No tenant column, because the store knows files by their id alone: whose they
-- are is in the tables of their owners.
create table file_contents (
  content_id bigint generated always as identity primary key,
  file_id text not null,
  -- Only 'stored' can be opened. 'replaced' and 'deleted' wait for their chunks to be deleted.
  state text not null check (state in ('incoming', 'stored', 'replaced', 'deleted')),
  -- Of every chunk but the last.
  chunk_bytes int not null check (chunk_bytes > 0),
  -- Of all chunks; null until all of them are there.
  bytes bigint check (bytes >= 0),
  -- When it was stored; before and after that, when it was last written to.
  touched_at timestamptz not null
);
-- One content of a file can be opened, and the sweep lists them by file.
create unique index file_contents_stored on file_contents (file_id) where state = 'stored';
-- The sweep looks for what is left over.
create index file_contents_left on file_contents (touched_at) where state <> 'stored';
grant select, insert, update, delete on file_contents to turnpike_operator;

create table file_chunks (
  content_id bigint not null references file_contents on delete cascade,
  -- From 0.
  position int not null check (position >= 0),
  bytes bytea not null,
  primary key (content_id, position)
);
-- Uncompressed, a slice is read without the rest of its chunk.
alter table file_chunks alter column bytes set storage external;
grant select, insert, delete on file_chunks to turnpike_operator;

do $$
declare
  table_name text;
begin
  foreach table_name in array array['file_contents', 'file_chunks'] loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
    execute format('create policy operator_rows on %I to turnpike_operator using (true) with check (true)', table_name);
  end loop;
end
$$;
