import type { RejectedEvent } from "@turnpike/contract/events";
import { assertMay, assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { RejectionCode } from "@turnpike/domain/events/rejection";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { parseCursor } from "#platform/parse-cursor.ts";
import type { Transact } from "#platform/transact.ts";
import { listRejections, type StoredRejection } from "./events.store.ts";

type Page = {
  cursor?: string | undefined;
  limit: number;
  code?: RejectionCode | undefined;
  type?: string | undefined;
};

function toItem(row: StoredRejection): RejectedEvent {
  return {
    tenantId: row.tenant_id,
    rejectedAt: row.rejected_at.toISOString(),
    code: row.code,
    reason: row.reason,
    source: row.source,
    id: row.event_id,
    type: row.event_type,
    subject: row.subject,
    sentBy: row.sent_by,
    tenantName: row.tenant_name,
    senderName: row.sender_name,
  };
}

function toPage(rows: readonly StoredRejection[], limit: number) {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1)?.rejection_id;
  return {
    items: shown.map(toItem),
    nextCursor: rows.length > limit && last !== undefined ? last.toString() : null,
  };
}

function toRejectionId(text: string): string | undefined {
  return /^\d{1,18}$/.test(text) ? text : undefined;
}

/** Lists rejected events of a tenant, newest first. @throws {AppError} As the other lists of a tenant. */
export async function listRejectedEvents(
  deps: { transact: Transact },
  context: CallContext,
  input: Page & { tenantId: TenantId },
) {
  const { tenantId, limit, code, type } = input;
  assertMayInTenant(context.actor, "usage:read", tenantId);
  const beforeId = parseCursor(input.cursor, toRejectionId);
  const rows = await deps.transact.asTenant(tenantId, (tx) =>
    listRejections(tx, { tenantId, beforeId, limit: limit + 1, code, type }),
  );
  return toPage(rows, limit);
}

/** The same for all tenants, and for events without a known tenant. */
export async function listAllRejectedEvents(
  deps: { transact: Transact },
  context: CallContext,
  input: Page,
) {
  assertMay(context.actor, "usage:read");
  const { limit, code, type } = input;
  const beforeId = parseCursor(input.cursor, toRejectionId);
  const rows = await deps.transact.asOperator((tx) =>
    listRejections(tx, { tenantId: null, beforeId, limit: limit + 1, code, type }),
  );
  return toPage(rows, limit);
}
