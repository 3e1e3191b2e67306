import type { JsonValue, Tx } from "@turnpike/db/client";

/** The trail of everything that belongs to no tenant: operators, users, service keys, the catalogue. */
export const OPERATOR_TRAIL = "operator";

export type AuditRow = {
  audit_id: string;
  occurred_at: Date;
  actor_type: string;
  actor_id: string;
  action: string;
  entity_type: string;
  entity_id: string;
  request_id: string | null;
  details: Record<string, unknown>;
};

export async function insertAuditEntry(
  tx: Tx,
  tenantId: string,
  row: Omit<AuditRow, "details"> & { details: Record<string, JsonValue> },
): Promise<void> {
  await tx`
    insert into audit_entries (tenant_id, audit_id, occurred_at, actor_type, actor_id, action,
      entity_type, entity_id, request_id, details)
    values (${tenantId}, ${row.audit_id}, ${row.occurred_at}, ${row.actor_type}, ${row.actor_id},
      ${row.action}, ${row.entity_type}, ${row.entity_id}, ${row.request_id}, ${tx.json(row.details)})`;
}

/** The nouns of entries that actors left since a time, each once: "key" of "key.created". */
export async function listTracesOf(
  tx: Tx,
  tenantId: string,
  { actorIds, since }: { actorIds: readonly string[]; since: Date },
): Promise<{ actorId: string; noun: string }[]> {
  return await tx<{ actorId: string; noun: string }[]>`
    select distinct actor_id as "actorId", noun
    from audit_entries
    where tenant_id = ${tenantId} and occurred_at >= ${since} and actor_id = any(${[...actorIds]}::text[])`;
}
