import type { Tx } from "@turnpike/db/client";

/** The kinds of changes that every process receives. */
export type ChangeKind =
  | "key"
  | "tenant"
  | "plan"
  | "service_key"
  | "document"
  | "notification"
  | "user"
  /** Someone watches the live calls of a tenant; the entity is the process that shows them. */
  | "tail"
  /** A process has calls for units that others hold; the entity is that process and the balance. */
  | "lease";

export type ChangeRow = {
  revision: bigint;
  kind: ChangeKind;
  tenant_id: string | null;
  entity_id: string;
};

export type ChangePage = {
  rows: ChangeRow[];
  /** Rows up to here may have been deleted. */
  prunedRevision: bigint;
  /** The newest revision ever given out. */
  newestRevision: bigint;
};

/** Reads on from a revision, in order. One statement, so that the page and the bounds are of one snapshot. */
export async function readChanges(tx: Tx, after: bigint, limit: number): Promise<ChangePage> {
  const rows = await tx<
    ({ pruned: bigint; newest: bigint } & { [Key in keyof ChangeRow]: ChangeRow[Key] | null })[]
  >`
    select p.revision as pruned, s.last_value as newest, c.revision, c.kind, c.tenant_id, c.entity_id
    from pruned_revisions p
    cross join changes_revision_seq s
    left join lateral (
      select revision, kind, tenant_id, entity_id from changes
      where revision > ${after}
      order by revision
      limit ${limit}
    ) c on true
    where p.source = 'changes'
    order by c.revision`;
  return {
    rows: rows.flatMap(({ revision, kind, tenant_id, entity_id }) =>
      revision === null || kind === null || entity_id === null
        ? []
        : [{ revision, kind, tenant_id, entity_id }],
    ),
    prunedRevision: rows[0]?.pruned ?? 0n,
    newestRevision: rows[0]?.newest ?? 0n,
  };
}

/** The newest revision that is committed, or 0 when nothing was ever changed. */
export async function readNewestChange(tx: Tx): Promise<bigint> {
  const [row] = await tx<{ revision: bigint }[]>`
    select greatest(coalesce((select max(revision) from changes), 0), p.revision) as revision
    from pruned_revisions p
    where p.source = 'changes'`;
  return row?.revision ?? 0n;
}

/** Records a change in the caller's transaction. It gets its revision when that commits. */
export async function insertChange(
  tx: Tx,
  change: { kind: ChangeKind; tenantId: string | null; entityId: string },
): Promise<void> {
  await tx`select record_change(${change.kind}, ${change.tenantId}, ${change.entityId})`;
}

/** Sends a payload on the channel of the changes, to hear whether it comes back. */
export async function notifyChangesChannel(tx: Tx, payload: string): Promise<void> {
  await tx`select pg_notify('turnpike_changes', ${payload})`;
}

/** Deletes what is older and notes how far, so that a feed that was away longer starts afresh. @returns Rows deleted. */
export async function deleteChangesBefore(tx: Tx, before: Date): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    with deleted as (
      delete from changes where created_at < ${before} returning revision
    ), noted as (
      update pruned_revisions
      set revision = greatest(pruned_revisions.revision, (select max(revision) from deleted))
      where source = 'changes' and exists (select 1 from deleted)
    )
    select count(*)::int as count from deleted`;
  return row?.count ?? 0;
}
