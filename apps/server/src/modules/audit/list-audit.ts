import type { AuditEntry } from "@turnpike/contract/tenants";
import { assertMay, assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import type { Transact } from "#platform/transact.ts";
import { type AuditRow, listAuditRows, OPERATOR_TRAIL } from "./audit.store.ts";

type AuditPage = { items: AuditEntry[]; nextCursor: string | null };

type PageInput = {
  entityId?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

/** Reads one row more than the page holds, to know whether there is another page. */
function toQuery({ entityId, cursor, limit }: PageInput) {
  return { entityId, beforeId: parseIdCursor("audit", cursor), limit: limit + 1 };
}

function toPage(rows: readonly AuditRow[], limit: number): AuditPage {
  const items = rows.slice(0, limit).map((row) => ({
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
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.auditId ?? null) : null };
}

/**
 * Lists a tenant's audit trail, newest first, of everything or of one entity. The trail of a deleted tenant remains visible to the
 * operator's actors.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`.
 */
export async function listAudit(
  deps: { transact: Transact },
  context: CallContext,
  input: PageInput & { tenantId: TenantId },
): Promise<AuditPage> {
  assertMayInTenant(context.actor, "audit:read", input.tenantId);
  const query = toQuery(input);
  const rows = await deps.transact.asTenant(input.tenantId, (tx) =>
    listAuditRows(tx, input.tenantId, query),
  );
  // Every tenant's trail begins with its creation, so an empty answer is the only one that needs a second query.
  if (rows.length === 0) {
    await deps.transact.asOperatorWithDeleted((tx) => assertTenantExists(tx, input.tenantId), {
      holder: input.tenantId,
    });
  }
  return toPage(rows, input.limit);
}

/**
 * Lists the audit trail of the installation, newest first: operators, users, service keys, the catalogue and the installation's
 * webhooks. For the operator's actors.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function listInstallationAudit(
  deps: { transact: Transact },
  context: CallContext,
  input: PageInput,
): Promise<AuditPage> {
  assertMay(context.actor, "audit:read");
  const query = toQuery(input);
  const rows = await deps.transact.asOperator((tx) => listAuditRows(tx, OPERATOR_TRAIL, query));
  return toPage(rows, input.limit);
}
