import type { Tx } from "@turnpike/db/client";

/** Nodes that start at the same time take turns. No other lock uses the number; that of setup codes is 7163024. */
const NODES_LOCK = 7_163_041;
/** A node without a sign of life for so long is taken for gone: five heartbeats. */
const SILENT_SECONDS = 15;

export type NodeRow = {
  nodeId: string;
  name: string;
  version: string;
  /** Keyed hashes of what must be equal, by name. */
  fingerprint: Readonly<Record<string, string>>;
  seenAt: Date;
};

/** Lets one node at a time compare itself with the others and join them, until the end of the transaction. */
export async function lockNodes(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${NODES_LOCK})`;
}

/** The nodes that gave a sign of life lately, but for one, oldest first; at most a thousand. */
export async function listLiveNodes(tx: Tx, exceptNodeId: string): Promise<NodeRow[]> {
  return [
    ...(await tx<NodeRow[]>`
      select node_id as "nodeId", name, version, fingerprint, seen_at as "seenAt"
      from nodes
      where node_id <> ${exceptNodeId} and seen_at > now() - make_interval(secs => ${SILENT_SECONDS})
      order by started_at, node_id limit 1000`),
  ];
}

/** Adds a node, or takes the place of what ran before with the same id, and forgets nodes that are long gone. */
export async function upsertNode(
  tx: Tx,
  { nodeId, name, version, fingerprint }: Omit<NodeRow, "seenAt">,
): Promise<void> {
  await tx`delete from nodes where seen_at < now() - interval '7 days'`;
  await tx`
    insert into nodes (node_id, name, version, fingerprint, started_at, seen_at)
    values (${nodeId}, ${name}, ${version}, ${tx.json(fingerprint)}, now(), now())
    on conflict (node_id) do update set name = excluded.name, version = excluded.version,
      fingerprint = excluded.fingerprint, started_at = now(), seen_at = now()`;
}

/** Notes a sign of life. @returns False when there is no such node any more. */
export async function touchNode(tx: Tx, nodeId: string): Promise<boolean> {
  const rows = await tx`update nodes set seen_at = now() where node_id = ${nodeId} returning 1`;
  return rows.length > 0;
}

export async function deleteNode(tx: Tx, nodeId: string): Promise<void> {
  await tx`delete from nodes where node_id = ${nodeId}`;
}
