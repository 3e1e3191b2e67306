import { setTimeout as delay } from "node:timers/promises";
import { LIVE_CALLS_BATCH_MAX, type LiveCallsEvent } from "@turnpike/contract/live-calls";
import type { AppServices } from "#platform/app-services.ts";
import { createBell } from "#platform/bounded-wait.ts";
import { type ReaderTiming, type StreamReader, watchReader } from "#platform/watch-reader.ts";
import type { ChangeSource } from "../analytics.ports.ts";
import type { LiveCalls } from "./live-calls.ts";
import type { LiveFilters } from "./match-live-call.ts";

export type LiveStreamEvent =
  | ({ kind: "calls" } & LiveCallsEvent)
  | { kind: "coverage"; isWhole: boolean }
  | { kind: "heartbeat" };

export type LiveStreamTiming = ReaderTiming & {
  /** Pause between two events. Calls of the meantime come with the next one. */
  paceMs: number;
};

export const LIVE_STREAM_TIMING: LiveStreamTiming = {
  paceMs: 250,
  heartbeatMs: 15_000,
  lifetimeMs: 60 * 60 * 1_000,
};

export type LiveStreamInput = StreamReader & {
  filters: LiveFilters;
  timing: LiveStreamTiming;
};

/**
 * Streams a tenant's calls as they end, at most four times a second. Nothing is stored: a reader who returns sees new calls only.
 *
 * Ends when the reader goes away or is no longer allowed, or after an hour.
 */
export async function* streamLiveCalls(
  deps: Pick<AppServices, "clock"> & { liveCalls: LiveCalls; changes: ChangeSource },
  input: LiveStreamInput,
): AsyncGenerator<LiveStreamEvent> {
  const { signal, timing, tenantId } = input;
  const bell = createBell();
  const watch = watchReader(deps, input, { timing, bell });
  const { calls, end } = deps.liveCalls.watch(tenantId, input.filters, bell.ring);
  try {
    let wasWhole: boolean | undefined;
    while (watch.isOpen()) {
      const heard = bell.next();
      const isWhole = deps.liveCalls.isWhole();
      if (isWhole !== undefined && isWhole !== wasWhole) {
        wasWhole = isWhole;
        yield { kind: "coverage", isWhole };
      }
      const batch = calls.take();
      if (batch !== undefined) {
        yield { kind: "calls", ...batch };
      }
      const isMore = batch?.calls.length === LIVE_CALLS_BATCH_MAX;
      const outcome = await watch.wait({ heard, isMore });
      if (outcome === "over") {
        return;
      }
      if (outcome === "asked") {
        yield { kind: "heartbeat" };
      }
      await delay(timing.paceMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    end();
    watch.end();
  }
}
