import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import type { Transact } from "#platform/transact.ts";
import { hasTenant, listAuditRows } from "./audit.store.ts";

async function assertTenantExists(deps: { transact: Transact }, tenantId: TenantId): Promise<void> {
  if (!(await deps.transact.asOperatorWithDeleted((tx) => hasTenant(tx, tenantId)))) {
    throw resourceNotFound("tenant");
  }
}

/**
 * Lists a tenant's audit trail, newest first: of everything, or of one entity. That of a deleted tenant stays for the
 * operator's actors.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`.
 */
export async function listAudit(
  deps: { transact: Transact },
  context: CallContext,
  input: {
    tenantId: TenantId;
    entityId?: string | undefined;
    cursor?: string | undefined;
    limit: number;
  },
) {
  assertMayInTenant(context.actor, "audit:read", input.tenantId);
  const beforeId = parseIdCursor("audit", input.cursor);
  const rows = await deps.transact.asTenant(input.tenantId, (tx) =>
    listAuditRows(tx, input.tenantId, {
      entityId: input.entityId,
      beforeId,
      limit: input.limit + 1,
    }),
  );
  // The trail of a tenant that exists begins with its making: asked here, the usual answer takes one query.
  if (rows.length === 0) {
    await assertTenantExists(deps, input.tenantId);
  }
  const items = rows.slice(0, input.limit).map((row) => ({
    auditId: row.audit_id,
    occurredAt: row.occurred_at.toISOString(),
    actorType: row.actor_type,
    actorId: row.actor_id,
    action: row.action,
    entityType: row.entity_type,
    entityId: row.entity_id,
    requestId: row.request_id,
    details: row.details,
  }));
  return { items, nextCursor: rows.length > input.limit ? (items.at(-1)?.auditId ?? null) : null };
}
