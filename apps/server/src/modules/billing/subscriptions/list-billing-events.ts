import type { BillingEvent } from "@turnpike/contract/subscriptions";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { listPlanNames } from "#modules/catalog/index.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import { shareOf } from "#platform/transact.ts";
import { type AccountKey, type EventRow, listEvents } from "../accounts/accounts.store.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { describeEvent, findNamelessPlan } from "./describe-event.ts";

export type ListEventsInput = AccountKey & { cursor?: string | undefined; limit: number };

function toBillingEvent(row: EventRow, planNames: ReadonlyMap<string, string>): BillingEvent {
  return {
    sequence: row.sequence,
    at: row.happenedAt.toISOString(),
    recordedAt: row.recordedAt.toISOString(),
    kind: row.kind,
    text: describeEvent(row, planNames),
    actor: row.actor,
  };
}

/** Writes events as they are answered, with the names of their plans. */
export async function toBillingEvents(tx: Tx, rows: readonly EventRow[]): Promise<BillingEvent[]> {
  const nameless = rows.flatMap((row) => findNamelessPlan(row) ?? []);
  const planNames = await listPlanNames(tx, [...new Set(nameless)]);
  return rows.map((row) => toBillingEvent(row, planNames));
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
  const events = await deps.transact.asOperator(
    async (tx) =>
      await toBillingEvents(
        tx,
        await listEvents(tx, { tenantId, environment }, { before, limit: limit + 1 }),
      ),
    shareOf(context.actor),
  );
  const items = events.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    nextCursor: events.length <= limit || last === undefined ? null : String(last.sequence),
  };
}
