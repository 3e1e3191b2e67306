import type { Tx } from "@turnpike/db/client";

/** Bytes on disk of what all tenants store. Needs the operator role. */
export async function readStoredTotals(tx: Tx): Promise<{ files: number; documents: number }> {
  const [row] = await tx<{ files: number; documents: number }[]>`
    select (select coalesce(sum(bytes), 0)::float8 from files) as files,
      pg_total_relation_size('documents')::float8 as documents`;
  return row ?? { files: 0, documents: 0 };
}

/** Counts the entries of a tenant's audit trail since a time, up to `countMax`. */
export async function countRecentChanges(
  tx: Tx,
  tenantId: string,
  { since, countMax }: { since: Date; countMax: number },
): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from (
      select from audit_entries where tenant_id = ${tenantId} and occurred_at > ${since} limit ${countMax}
    ) as recent`;
  return row?.count ?? 0;
}
