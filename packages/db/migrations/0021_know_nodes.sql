-- Processes of the product on this database, one row each. A node that stopped has none, and one that died is known by its silence.
create table nodes (
  node_id text primary key,
  name text not null,
  version text not null,
  -- What must be equal on all nodes, by name: keyed hashes, never a secret.
  fingerprint jsonb not null,
  started_at timestamptz not null,
  seen_at timestamptz not null
);
grant select, insert, update, delete on nodes to turnpike_operator;

-- What each process that meters had recorded and not yet committed at its heartbeat: of one that is gone, what may be lost.
alter table processes add column node_name text, add column calls_waiting bigint not null default 0;

-- With a secret that all nodes share it gives the code, so that each prints the same link.
alter table setup_codes add column salt bytea;
