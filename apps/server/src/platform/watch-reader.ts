import type { TenantId } from "@turnpike/domain/ids/ids";
import { type Bell, waitFor } from "./bounded-wait.ts";
import type { Clock } from "./clock.ts";

type Change = { kind: string; tenantId: string | null; entityId: string } | { kind: "reset" };

export type StreamReader = {
  tenantId: TenantId;
  /** The reader: a change of that person or key, or of the tenant, makes the stream check again at once. */
  actorId: string;
  /** Asked every `heartbeatMs` too, also when nothing happens. */
  isStillAllowed(): Promise<boolean>;
  /** Aborted when the reader is gone. */
  signal: AbortSignal;
};

export type ReaderTiming = {
  heartbeatMs: number;
  /** A stream ends after this; its reader comes back. */
  lifetimeMs: number;
};

export type ReaderWatch = {
  /** False when the reader has gone, or the stream has had its time. */
  isOpen(): boolean;
  /**
   * Waits for what was heard, or for the next heartbeat; not at all when there is more to tell already.
   *
   * @returns `over` when the reader is gone or not allowed any more, `asked` when it was found to be allowed still.
   */
  wait(input: { heard: Promise<void>; isMore: boolean }): Promise<"heard" | "asked" | "over">;
  /** Idempotent. */
  end(): void;
};

function isAboutReader(change: Change, { actorId, tenantId }: StreamReader): boolean {
  return (
    change.kind === "reset" ||
    ("entityId" in change &&
      (change.entityId === actorId || (change.kind === "tenant" && change.tenantId === tenantId)))
  );
}

/**
 * Watches over the right of a stream's reader to it, for as long as the stream is open.
 *
 * @param options.bell - Of the stream, which is rung when the right is in doubt.
 * @param options.isOfStream - What changes it is rung for as well.
 */
export function watchReader(
  deps: {
    changes: { subscribe(listener: (change: Change) => void): () => void };
    clock: Pick<Clock, "monotonicMs">;
  },
  reader: StreamReader,
  {
    timing,
    bell,
    isOfStream,
  }: { timing: ReaderTiming; bell: Bell; isOfStream?: (change: Change) => boolean },
): ReaderWatch {
  const { clock } = deps;
  const { signal } = reader;
  const endsAtMs = clock.monotonicMs() + timing.lifetimeMs;
  // Messages do not move it: a busy stream must not keep a reader whose credential has expired.
  let askAgainAtMs = clock.monotonicMs() + timing.heartbeatMs;
  let isInDoubt = false;
  const end = deps.changes.subscribe((change) => {
    const isDoubt = isAboutReader(change, reader);
    isInDoubt ||= isDoubt;
    if (isDoubt || isOfStream?.(change) === true) {
      bell.ring();
    }
  });
  return {
    isOpen: () => !signal.aborted && clock.monotonicMs() < endsAtMs,
    async wait({ heard, isMore }) {
      const timeoutMs = Math.max(0, askAgainAtMs - clock.monotonicMs());
      // A change that came during the check, or a message, rang while no one waited.
      const isWoken = isMore || isInDoubt || (await waitFor({ heard, timeoutMs, signal }));
      if (isWoken && !isInDoubt && clock.monotonicMs() < askAgainAtMs) {
        return "heard";
      }
      isInDoubt = false;
      askAgainAtMs = clock.monotonicMs() + timing.heartbeatMs;
      return signal.aborted || !(await reader.isStillAllowed()) ? "over" : "asked";
    },
    end,
  };
}
