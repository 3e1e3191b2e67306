import { isUnderWay, TurnpikeUnavailableError } from "./errors.ts";
import { PROBE_INTERVAL_MS } from "./outage.ts";
import type { Runtime } from "./runtime.ts";
import type { VerifyReply, VerifyRequest } from "./verification.ts";

/** A call that was let through on trust, and is verified and metered afterwards. */
export type UnverifiedCall = {
  request: VerifyRequest;
  /** The key of the first attempt: if that one arrived after all, the call is not metered twice. */
  idempotencyKey: string;
  /** Monotonic milliseconds. */
  letThroughAtMs: number;
};

/**
 * Why a call that was let through is not metered: `refused` by the verdict `code` (the key had been revoked meanwhile, say),
 * `rejected` as a question, `too_old`, or the client was closed before.
 */
export type GivenUp = {
  request: VerifyRequest;
  reason: "refused" | "rejected" | "too_old" | "closed";
  code: string;
};

export type CatchUp = {
  add(call: UnverifiedCall): void;
  /** Ends the wait for a Turnpike that was away: it has just answered another request. */
  wake(): void;
  /** Calls still to be verified. */
  size(): number;
  /** Resolves when nothing is left to verify, or after that many milliseconds. */
  flush(timeoutMs: number): Promise<void>;
  /** Gives up what is left, and what is added later. */
  close(): void;
};

const PAUSE_BASE_MS = 250;
const PAUSE_CAP_MS = 10_000;
/** How often `flush` checks. */
const FLUSH_POLL_MS = 20;

/** How long a call waits when Turnpike sends no `Retry-After`. */
const NOT_BEFORE_DEFAULT_MS = 1_000;

/** A quota that refuses for at most this long is not used up: other Turnpike processes hold units and may return them. */
const HELD_SECONDS_MAX = 5;
/** How long to wait for units that others hold: those of a dead process come back within a minute. */
const HELD_MS_MAX = 90_000;

type Waiting = UnverifiedCall & {
  isCurrent: boolean;
  /** Monotonic milliseconds: not before this, as Turnpike asked. */
  notBeforeMs: number;
  /** Monotonic milliseconds: when it was first refused because others hold the units. */
  heldSinceMs: number | undefined;
};

/**
 * Verifies calls that were let through, one after the other and each until there is a verdict, so that each is metered once.
 *
 * @param deps.verify - Asks once, with retries of its own.
 * @param deps.ageSecondsMax - A call that is older is given up: the server does not remember idempotency keys for ever.
 */
export function createCatchUp(deps: {
  runtime: Runtime;
  verify: (request: VerifyRequest, idempotencyKey: string) => Promise<VerifyReply>;
  ageSecondsMax: number;
  onSettled: (outcome: "verified" | "given_up") => void;
  onGivenUp: (call: GivenUp) => void;
}): CatchUp {
  const { runtime } = deps;
  const ageMsMax = deps.ageSecondsMax * 1_000;
  const queue: Waiting[] = [];
  let isRunning = false;
  let isClosed = false;
  /** When the last request got no answer; undefined when it got one. */
  let missedAtMs: number | undefined;
  let endPause: () => void = () => undefined;

  function settle(call: Waiting, givenUp?: Omit<GivenUp, "request">): void {
    queue.splice(queue.indexOf(call), 1);
    if (givenUp === undefined) {
      deps.onSettled("verified");
      return;
    }
    // The server that refused it has seen it: the exposure ends, and only the usage stays unmetered.
    deps.onSettled(givenUp.reason === "refused" ? "verified" : "given_up");
    try {
      deps.onGivenUp({ request: call.request, ...givenUp });
    } catch (error) {
      // An error of the caller's own code is thrown where it happens, and the calls behind this one go on.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  /** A delay of one call must not delay the others. */
  function moveToEnd(call: Waiting): void {
    if (call.isCurrent) {
      queue.splice(queue.indexOf(call), 1);
      queue.push(call);
    }
  }

  /** Full jitter, with a bound that doubles. */
  function planPause(failures: number): number {
    const boundMs = Math.min(PAUSE_CAP_MS, PAUSE_BASE_MS * 2 ** Math.min(10, failures - 1));
    return runtime.random() * boundMs;
  }

  async function pause(ms: number): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      endPause = resolve;
    });
    await Promise.race([woken, runtime.sleep(ms, "background")]);
  }

  /** When to ask about a call, or to give it up. */
  function dueAtMs({ notBeforeMs, letThroughAtMs }: Waiting): number {
    return Math.min(notBeforeMs, letThroughAtMs + ageMsMax);
  }

  /** Pauses calls for a while, with some jitter on top: other processes get the same `Retry-After`. */
  function putOff(calls: readonly Waiting[], askedMs: number): void {
    const waitMs = askedMs > 0 ? askedMs : NOT_BEFORE_DEFAULT_MS;
    const untilMs = runtime.nowMs() + waitMs + planPause(1);
    for (const call of calls) {
      call.notBeforeMs = untilMs;
    }
  }

  /** True for a refusal that may be gone a little later. */
  function mayPassLater(call: Waiting, { code, retryAfterSeconds }: VerifyReply): boolean {
    if (code !== "QUOTA_EXCEEDED") {
      return code === "RATE_LIMITED";
    }
    if (retryAfterSeconds === undefined || retryAfterSeconds > HELD_SECONDS_MAX) {
      return false;
    }
    call.heldSinceMs ??= runtime.nowMs();
    return runtime.nowMs() - call.heldSinceMs < HELD_MS_MAX;
  }

  /** @returns False when Turnpike gave no answer, so that nothing else needs to be asked at once either. */
  async function tryCall(call: Waiting): Promise<boolean> {
    if (runtime.nowMs() - call.letThroughAtMs >= ageMsMax) {
      settle(call, { reason: "too_old", code: "" });
      return true;
    }
    try {
      const reply = await deps.verify(call.request, call.idempotencyKey);
      if (!call.isCurrent) {
        return true;
      }
      if (mayPassLater(call, reply)) {
        // Many calls come at once after an outage. A refusal took nothing, so the next attempt is a new request.
        call.idempotencyKey = runtime.newId();
        moveToEnd(call);
        const ofKey = queue.filter(({ request }) => request.key === call.request.key);
        putOff(ofKey, (reply.retryAfterSeconds ?? 0) * 1_000);
        return true;
      }
      settle(call, reply.valid ? undefined : { reason: "refused", code: reply.code });
      return true;
    } catch (error) {
      if (error instanceof TurnpikeUnavailableError) {
        moveToEnd(call);
        if (isUnderWay(error)) {
          putOff([call], error.retryAfterMs);
          return true;
        }
        return false;
      }
      if (call.isCurrent) {
        settle(call, { reason: "rejected", code: readCode(error) });
      }
      return true;
    }
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (queue.length > 0 && !isClosed) {
      const now = runtime.nowMs();
      const call = queue.find((each) => dueAtMs(each) <= now);
      if (call === undefined) {
        const firstMs = Math.min(...queue.map(dueAtMs));
        await pause(Math.min(PAUSE_CAP_MS, firstMs - now));
      } else if (await tryCall(call)) {
        failures = 0;
        missedAtMs = undefined;
      } else {
        failures += 1;
        missedAtMs = runtime.nowMs();
        await pause(planPause(failures));
      }
    }
    isRunning = false;
  }

  return {
    add(call) {
      const waiting = { ...call, isCurrent: !isClosed, notBeforeMs: 0, heldSinceMs: undefined };
      queue.push(waiting);
      if (isClosed) {
        settle(waiting, { reason: "closed", code: "" });
      } else if (missedAtMs === undefined) {
        endPause();
      }
      if (!isRunning && !isClosed) {
        isRunning = true;
        void run();
      }
    },
    wake() {
      // While Turnpike's database is away, only calls without an idempotency key are answered.
      if (missedAtMs !== undefined && runtime.nowMs() - missedAtMs >= PROBE_INTERVAL_MS) {
        endPause();
      }
    },
    size: () => queue.length,
    async flush(timeoutMs) {
      const endMs = runtime.nowMs() + timeoutMs;
      endPause();
      while (queue.length > 0 && runtime.nowMs() < endMs) {
        await runtime.sleep(FLUSH_POLL_MS);
      }
    },
    close() {
      isClosed = true;
      endPause();
      for (const call of [...queue]) {
        call.isCurrent = false;
        settle(call, { reason: "closed", code: "" });
      }
    },
  };
}

function readCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "";
}
