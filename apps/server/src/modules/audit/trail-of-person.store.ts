import type { Tx } from "@turnpike/db/client";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { OPERATOR_TRAIL } from "./audit.store.ts";

/** What a person did. It is kept for good, under an id without a name. Needs the operator role. */
export const trailOfPerson = {
  kind: "actions",
  async list(
    tx: Tx,
    { userId, tenantIds, limit }: { userId: UserId; tenantIds: readonly TenantId[]; limit: number },
  ): Promise<Record<string, unknown>[]> {
    return await tx`
      select nullif(tenant_id, ${OPERATOR_TRAIL}) as "tenantId", occurred_at as "occurredAt", action,
        entity_type as "entityType", entity_id as "entityId", details
      from audit_entries
      where tenant_id = any(${[...tenantIds, OPERATOR_TRAIL]}::text[])
        and actor_type = 'user' and actor_id = ${userId}
      order by audit_id desc
      limit ${limit}`;
  },
};
