import { type CallContext, nameSender } from "@turnpike/domain/access/actor";
import type { Rejection, RejectionCode } from "@turnpike/domain/events/rejection";
import { withoutQuery } from "@turnpike/domain/privacy/redact";
import type { AppServices } from "#platform/app-services.ts";
import type { TimeSlices } from "#platform/time-slices.ts";
import { findKnownEvents, insertRejections } from "../events.store.ts";
import { hashEvent } from "./event-row.ts";
import { shownText } from "./judge-event.ts";
import type { RejectionLimit } from "./rejection-limit.ts";
import type { TakenEvent } from "./taken-event.ts";

export type RejectedEventsDeps = Pick<AppServices, "transact" | "clock"> & {
  rejections: RejectionLimit;
};

/** Rejections that cannot be checked for duplicates, because the tenant or the identity is unknown. */
const ANONYMOUS: ReadonlySet<RejectionCode> = new Set([
  "INVALID_EVENT",
  "UNKNOWN_SUBJECT",
  "FOREIGN_SUBJECT",
]);

/**
 * Turns rejected events that were recorded before into duplicates: an event that is resent after its meter has changed, or after it
 * has become too old, was not lost.
 */
export async function acknowledgeKnown(
  deps: RejectedEventsDeps,
  taken: readonly TakenEvent[],
  slices: TimeSlices,
): Promise<TakenEvent[]> {
  const hashOf = ({ value, outcome, tenantId }: TakenEvent): string | undefined => {
    const isNamed = typeof outcome !== "string" && !ANONYMOUS.has(outcome.code);
    const source = shownText(value, "source");
    const id = shownText(value, "id");
    return isNamed && tenantId !== null && source !== null && id !== null
      ? hashEvent(tenantId, source, id)
      : undefined;
  };
  const hashes = await slices.map(taken, hashOf);
  const asked = hashes.filter((hash) => hash !== undefined);
  if (asked.length === 0) {
    return [...taken];
  }
  const known = await deps.transact.asMeter((tx) => findKnownEvents(tx, asked));
  return taken.map((one, place) =>
    known.has(hashes[place] ?? "") ? { ...one, outcome: "duplicate" } : one,
  );
}

function isRejected(taken: TakenEvent): taken is TakenEvent<Rejection> {
  return typeof taken.outcome !== "string";
}

/** Stores as many rejections as the sender may leave in the list. The answer still names all of them. */
export async function keepRejections(
  deps: RejectedEventsDeps,
  { actor }: CallContext,
  taken: readonly TakenEvent[],
): Promise<void> {
  const rejected = taken.filter(isRejected);
  const kept = deps.rejections.take(nameSender(actor), rejected.length, deps.clock.monotonicMs());
  if (kept === 0) {
    return;
  }
  const rows = rejected.slice(0, kept).map(({ value, outcome, tenantId }) => ({
    ...outcome,
    tenantId,
    source: withoutQuery(shownText(value, "source") ?? "") || null,
    id: shownText(value, "id"),
    type: shownText(value, "type"),
    subject: shownText(value, "subject"),
  }));
  const sent = { rejectedAt: deps.clock.now(), sentBy: `${actor.type} ${actor.id}` };
  await deps.transact.asMeter((tx) => insertRejections(tx, rows, sent));
}
