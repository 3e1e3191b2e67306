import type { FailedPaymentEvent } from "@turnpike/contract/payment-events";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { AppServices } from "#platform/app-services.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import { type EventPlace, listFailedEvents } from "./provider-events.store.ts";

/** A place in the list: when an event came, and which. Ids are the provider's, of letters, digits and underscores. */
function parsePlace(text: string): EventPlace | undefined {
  const [, ms, eventId] = /^(\d{1,15})\.(\w{1,200})$/.exec(text) ?? [];
  return ms === undefined || eventId === undefined
    ? undefined
    : { receivedAt: new Date(Number(ms)), eventId };
}

/**
 * Lists what providers of payments have reported and could not be applied, newest first. For the operator's actors.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function listFailedPaymentEvents(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  {
    environment,
    cursor,
    limit,
  }: { environment: Environment; cursor?: string | undefined; limit: number },
): Promise<{ items: FailedPaymentEvent[]; nextCursor: string | null }> {
  assertMay(context.actor, "invoices:read");
  const after = parseCursor(cursor, parsePlace);
  const rows = await deps.transact.asOperator((tx) =>
    listFailedEvents(tx, { environment, after, limit: limit + 1 }),
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(({ receivedAt, givenUpAt, tryAt, ...row }) => ({
      ...row,
      receivedAt: receivedAt.toISOString(),
      isGivenUp: givenUpAt !== null,
      nextTryAt: tryAt?.toISOString() ?? null,
    })),
    nextCursor:
      rows.length > limit && last !== undefined
        ? `${String(last.receivedAt.getTime())}.${last.eventId}`
        : null,
  };
}
