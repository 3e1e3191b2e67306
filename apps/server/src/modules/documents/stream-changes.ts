import type { DocumentChange } from "@turnpike/contract/documents";
import type { AppServices } from "#platform/app-services.ts";
import { createBell } from "#platform/bounded-wait.ts";
import { type ReaderTiming, type StreamReader, watchReader } from "#platform/watch-reader.ts";
import type { ChangeSource } from "./documents.ports.ts";
import { listDocumentChanges, readPrunedDocumentRevision } from "./documents.store.ts";
import { toDocumentChange } from "./to-document-reply.ts";

export type StreamEvent =
  /** Deletions since the reader's position are no longer known: all documents follow from the beginning. */
  | { kind: "reset" }
  | { kind: "change"; change: DocumentChange }
  /** Nothing changed; shows that the connection is alive. */
  | { kind: "heartbeat" };

export const STREAM_TIMING: ReaderTiming = { heartbeatMs: 15_000, lifetimeMs: 60 * 60 * 1_000 };

export type StreamDeps = Pick<AppServices, "transact" | "clock"> & { changes: ChangeSource };

export type StreamInput = StreamReader & {
  collection: string;
  /** The last revision that the reader has seen; 0 for none. */
  after: bigint;
  timing: ReaderTiming;
};

const BATCH_SIZE = 50;

/** Reads the changes since `position`, in order. @returns Whether there may be more. */
async function* readBatch(
  deps: StreamDeps,
  input: StreamInput,
  position: { revision: bigint },
): AsyncGenerator<StreamEvent, boolean> {
  const rows = await deps.transact.asTenant(input.tenantId, (tx) =>
    listDocumentChanges(tx, input.tenantId, {
      collection: input.collection,
      after: position.revision,
      limit: BATCH_SIZE,
    }),
  );
  for (const row of rows) {
    yield { kind: "change", change: toDocumentChange(row) };
    position.revision = row.revision;
  }
  return rows.length === BATCH_SIZE;
}

/**
 * Streams every document of a collection that is newer than the reader's position, then each change as it commits. Changes are read
 * from the table by revision; the change feed only wakes the stream. So nothing is lost between two connections, nor by a lost
 * wake-up. Several changes of one document may arrive as one.
 *
 * Ends when the reader leaves, is no longer allowed, or after an hour.
 */
export async function* streamChanges(
  deps: StreamDeps,
  input: StreamInput,
): AsyncGenerator<StreamEvent> {
  const bell = createBell();
  const watch = watchReader(deps, input, {
    timing: input.timing,
    bell,
    isOfStream: (change) =>
      change.kind === "document" &&
      "entityId" in change &&
      change.tenantId === input.tenantId &&
      change.entityId.startsWith(`${input.collection}/`),
  });
  try {
    const position = { revision: input.after };
    const pruned = await deps.transact.asTenant(input.tenantId, readPrunedDocumentRevision);
    if (position.revision > 0n && position.revision < pruned) {
      position.revision = 0n;
      yield { kind: "reset" };
    }
    while (watch.isOpen()) {
      const heard = bell.next();
      const isMore = yield* readBatch(deps, input, position);
      const outcome = await watch.wait({ heard, isMore });
      if (outcome === "over") {
        return;
      }
      if (outcome === "asked") {
        yield { kind: "heartbeat" };
      }
    }
  } finally {
    watch.end();
  }
}
