import type { BillingEvent } from "@turnpike/contract/billing";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { parseCursor } from "#platform/parse-cursor.ts";
import { shareOf } from "#platform/transact.ts";
import { type AccountKey, type EventRow, listEvents } from "../accounts/accounts.store.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { describeEvent } from "./describe-event.ts";

export type ListEventsInput = AccountKey & { cursor?: string | undefined; limit: number };

export function toBillingEvent(row: EventRow): BillingEvent {
  return {
    sequence: row.sequence,
    at: row.happenedAt.toISOString(),
    recordedAt: row.recordedAt.toISOString(),
    kind: row.kind,
    text: describeEvent(row),
    actor: row.actor,
  };
}

/**
 * Lists what happened to a subscription, newest first.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` (cursor).
 */
export async function listBillingEvents(
  deps: BillingDeps,
  context: CallContext,
  { tenantId, environment, cursor, limit }: ListEventsInput,
): Promise<{ items: BillingEvent[]; nextCursor: string | null }> {
  assertMayInTenant(context.actor, "billing:read", tenantId);
  const before = parseCursor(cursor, (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined));
  const rows = await deps.transact.asOperator(
    (tx) => listEvents(tx, { tenantId, environment }, { before, limit: limit + 1 }),
    shareOf(context.actor),
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(toBillingEvent),
    nextCursor: rows.length <= limit || last === undefined ? null : String(last.sequence),
  };
}
