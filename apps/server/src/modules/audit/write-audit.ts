import type { JsonValue, Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { NewId, TenantId } from "@turnpike/domain/ids/ids";
import type { Clock } from "#platform/clock.ts";
import { insertAuditEntry, OPERATOR_TRAIL } from "./audit.store.ts";

export type AuditEvent = {
  /** The tenant whose trail it is; null for the installation. */
  tenantId: TenantId | null;
  /** Noun and verb in the past, such as `key.revoked`. */
  action: string;
  entityType: string;
  entityId: string;
  /** Never a secret. */
  details?: Record<string, JsonValue>;
};

/** In the trail of the tenant where an operator acts: with which reason. */
function toActing({ actor }: CallContext, tenantId: TenantId | null): Record<string, JsonValue> {
  const acting = actor.type === "user" ? actor.acting : undefined;
  return acting === undefined || acting.tenantId !== tenantId
    ? {}
    : { acting: { actingId: acting.actingId, reason: acting.reason } };
}

/**
 * Adds an entry to the audit trail in the transaction of the change, so that no change commits without its entry.
 */
export async function writeAudit(
  deps: { clock: Clock; newId: NewId },
  tx: Tx,
  context: CallContext,
  event: AuditEvent,
): Promise<void> {
  await insertAuditEntry(tx, event.tenantId ?? OPERATOR_TRAIL, {
    audit_id: deps.newId("audit"),
    occurred_at: deps.clock.now(),
    actor_type: context.actor.type,
    actor_id: context.actor.id,
    action: event.action,
    entity_type: event.entityType,
    entity_id: event.entityId,
    request_id: context.requestId,
    details: { ...event.details, ...toActing(context, event.tenantId) },
  });
}
