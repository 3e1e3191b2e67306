import type { DocumentChange } from "@turnpike/contract/documents";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { createBell, waitFor } from "#platform/bounded-wait.ts";
import type { ChangeSource } from "./documents.ports.ts";
import { listDocumentChanges, readPrunedDocumentRevision } from "./documents.store.ts";
import { toDocumentChange } from "./to-document-reply.ts";

export type StreamEvent =
  /** What was deleted since the reader's place is not known any more: all that exists follows from the beginning. */
  | { kind: "reset" }
  | { kind: "change"; change: DocumentChange }
  /** Nothing happened; shows that the connection stands. */
  | { kind: "heartbeat" };

export type StreamTiming = {
  heartbeatMs: number;
  /** A stream ends after this; its reader comes back with its place. */
  lifetimeMs: number;
};

export const STREAM_TIMING: StreamTiming = { heartbeatMs: 15_000, lifetimeMs: 60 * 60 * 1_000 };

export type StreamDeps = Pick<AppServices, "transact" | "clock"> & { changes: ChangeSource };

export type StreamInput = {
  tenantId: TenantId;
  collection: string;
  /** The last revision that the reader has seen; 0 for none. */
  after: bigint;
  /** Who reads: a change of that key, or of the tenant, makes the stream ask again at once. */
  actorId: string;
  /** Asked every `heartbeatMs` too, whatever happens meanwhile. */
  isStillAllowed(): Promise<boolean>;
  signal: AbortSignal;
  timing: StreamTiming;
};

const BATCH_SIZE = 50;

type Concern = "documents" | "authority" | "none";

function concernOf(
  change: Parameters<Parameters<ChangeSource["subscribe"]>[0]>[0],
  of: StreamInput,
) {
  if (change.kind === "reset") {
    return "authority";
  }
  if (!("entityId" in change)) {
    return "none";
  }
  const isOfTenant = change.tenantId === of.tenantId;
  if (change.kind === "document") {
    return isOfTenant && change.entityId.startsWith(`${of.collection}/`) ? "documents" : "none";
  }
  return change.entityId === of.actorId || (change.kind === "tenant" && isOfTenant)
    ? "authority"
    : "none";
}

/** Reads what changed since `place`, in order. @returns Whether there may be more. */
async function* readBatch(
  deps: StreamDeps,
  input: StreamInput,
  place: { revision: bigint },
): AsyncGenerator<StreamEvent, boolean> {
  const rows = await deps.transact.asTenant(input.tenantId, (tx) =>
    listDocumentChanges(tx, input.tenantId, {
      collection: input.collection,
      after: place.revision,
      limit: BATCH_SIZE,
    }),
  );
  for (const row of rows) {
    yield { kind: "change", change: toDocumentChange(row) };
    place.revision = row.revision;
  }
  return rows.length === BATCH_SIZE;
}

/**
 * Tells of every document of a collection that is newer than the reader's place, then of each change as it is committed.
 * What it tells comes from the table by revision; the change feed is only what wakes it. So nothing is lost between two
 * connections, nor by a wake-up that did not arrive. Several changes of one document may be told as the last of them.
 *
 * Ends when the reader goes away, is no longer allowed, or after an hour.
 */
export async function* streamChanges(
  deps: StreamDeps,
  input: StreamInput,
): AsyncGenerator<StreamEvent> {
  const { signal, timing } = input;
  const bell = createBell();
  let isAuthorityInDoubt = false;
  const unsubscribe = deps.changes.subscribe((change) => {
    const concern: Concern = concernOf(change, input);
    isAuthorityInDoubt ||= concern === "authority";
    if (concern !== "none") {
      bell.ring();
    }
  });
  try {
    const endsAtMs = deps.clock.monotonicMs() + timing.lifetimeMs;
    // Changes do not move it: a busy collection must not keep a reader whose credential has expired.
    let askAgainAtMs = deps.clock.monotonicMs() + timing.heartbeatMs;
    const place = { revision: input.after };
    const pruned = await deps.transact.asTenant(input.tenantId, readPrunedDocumentRevision);
    if (place.revision > 0n && place.revision < pruned) {
      place.revision = 0n;
      yield { kind: "reset" };
    }
    while (!signal.aborted && deps.clock.monotonicMs() < endsAtMs) {
      const heard = bell.next();
      const isMore = yield* readBatch(deps, input, place);
      const timeoutMs = Math.max(0, askAgainAtMs - deps.clock.monotonicMs());
      // What came while it was asked rang for nobody.
      const isWoken = isMore || isAuthorityInDoubt || (await waitFor({ heard, timeoutMs, signal }));
      if (!isWoken || isAuthorityInDoubt || deps.clock.monotonicMs() >= askAgainAtMs) {
        isAuthorityInDoubt = false;
        askAgainAtMs = deps.clock.monotonicMs() + timing.heartbeatMs;
        if (signal.aborted || !(await input.isStillAllowed())) {
          return;
        }
        yield { kind: "heartbeat" };
      }
    }
  } finally {
    unsubscribe();
  }
}
