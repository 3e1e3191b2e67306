import { setTimeout as delay } from "node:timers/promises";
import { LIVE_CALLS_BATCH_MAX, type LiveCallsEvent } from "@turnpike/contract/live-calls";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { createBell, waitFor } from "#platform/bounded-wait.ts";
import type { ChangeSource } from "./analytics.ports.ts";
import type { LiveCalls } from "./live-calls.ts";
import type { LiveFilters } from "./match-live-call.ts";

export type LiveStreamEvent =
  | ({ kind: "calls" } & LiveCallsEvent)
  | { kind: "coverage"; isWhole: boolean }
  | { kind: "heartbeat" };

export type LiveStreamTiming = {
  /** Between two events: what happens meanwhile comes with the next one. */
  paceMs: number;
  heartbeatMs: number;
  /** A stream ends after this; its reader comes back. */
  lifetimeMs: number;
};

export const LIVE_STREAM_TIMING: LiveStreamTiming = {
  paceMs: 250,
  heartbeatMs: 15_000,
  lifetimeMs: 60 * 60 * 1_000,
};

export type LiveStreamInput = {
  tenantId: TenantId;
  filters: LiveFilters;
  /** Who reads: a change of that person or key, or of the tenant, makes the stream ask again at once. */
  actorId: string;
  /** Asked every `heartbeatMs` too, whatever happens meanwhile. */
  isStillAllowed(): Promise<boolean>;
  signal: AbortSignal;
  timing: LiveStreamTiming;
};

/**
 * Tells of a tenant's calls as they end, four times a second at the most. Nothing is remembered: whoever comes back sees what
 * happens from then on.
 *
 * Ends when the reader goes away or is no longer allowed, or after an hour.
 */
export async function* streamLiveCalls(
  deps: Pick<AppServices, "clock"> & { liveCalls: LiveCalls; changes: ChangeSource },
  input: LiveStreamInput,
): AsyncGenerator<LiveStreamEvent> {
  const { signal, timing, tenantId } = input;
  const bell = createBell();
  let isAuthorityInDoubt = false;
  const unsubscribe = deps.changes.subscribe((change) => {
    const isOurs =
      change.kind === "reset" ||
      ("entityId" in change &&
        (change.entityId === input.actorId ||
          (change.kind === "tenant" && change.tenantId === tenantId)));
    if (isOurs) {
      isAuthorityInDoubt = true;
      bell.ring();
    }
  });
  const { calls, end } = deps.liveCalls.watch(tenantId, input.filters, bell.ring);
  try {
    const endsAtMs = deps.clock.monotonicMs() + timing.lifetimeMs;
    // Calls do not move it: a busy tenant must not keep a reader whose credential has expired.
    let askAgainAtMs = deps.clock.monotonicMs() + timing.heartbeatMs;
    let wasWhole: boolean | undefined;
    while (!signal.aborted && deps.clock.monotonicMs() < endsAtMs) {
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
      await delay(timing.paceMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    end();
    unsubscribe();
  }
}
