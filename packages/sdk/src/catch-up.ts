import { TurnpikeUnavailableError } from "./errors.ts";
import type { Runtime } from "./runtime.ts";
import type { VerifyReply, VerifyRequest } from "./verification.ts";

/** A call that was let through on trust, and is verified and metered afterwards. */
export type UnverifiedCall = {
  request: VerifyRequest;
  /** The one under which it was first asked: if that attempt got through after all, it is not metered twice. */
  idempotencyKey: string;
  /** Monotonic milliseconds. */
  letThroughAtMs: number;
};

/**
 * Why a call that was let through is not metered: `refused` by the verdict `code` (the key had been revoked meanwhile, say),
 * `rejected` as a question, `too_old`, or the client was closed with Turnpike still away.
 */
export type GivenUp = {
  request: VerifyRequest;
  reason: "refused" | "rejected" | "too_old" | "closed";
  code: string;
};

export type CatchUp = {
  add(call: UnverifiedCall): void;
  /** Tries at once instead of waiting: Turnpike has just answered somebody. */
  wake(): void;
  /** Calls still to be verified. */
  size(): number;
  /** Resolves when nothing is left to verify, or after that many milliseconds. */
  flush(timeoutMs: number): Promise<void>;
  /** Gives up what is left. */
  close(): void;
};

const PAUSE_BASE_MS = 250;
const PAUSE_CAP_MS = 10_000;
/** How often `flush` looks. */
const FLUSH_POLL_MS = 20;

type Waiting = UnverifiedCall & { isCurrent: boolean };

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
  const queue: Waiting[] = [];
  let isRunning = false;
  let isClosed = false;
  let endPause: () => void = () => undefined;

  function settle(call: Waiting, givenUp?: Omit<GivenUp, "request">): void {
    queue.splice(queue.indexOf(call), 1);
    if (givenUp === undefined) {
      deps.onSettled("verified");
      return;
    }
    // Whoever refused it has seen it: the exposure ends, only the usage is not metered.
    deps.onSettled(givenUp.reason === "refused" ? "verified" : "given_up");
    deps.onGivenUp({ request: call.request, ...givenUp });
  }

  /** One tenant's rate limit must not hold up the others. */
  function moveToEnd(call: Waiting): void {
    if (call.isCurrent) {
      queue.splice(queue.indexOf(call), 1);
      queue.push(call);
    }
  }

  async function pause(failures: number): Promise<void> {
    const boundMs = Math.min(PAUSE_CAP_MS, PAUSE_BASE_MS * 2 ** Math.min(10, failures - 1));
    const woken = new Promise<void>((resolve) => {
      endPause = resolve;
    });
    await Promise.race([woken, runtime.sleep(runtime.random() * boundMs, "background")]);
  }

  /** @returns True when the call is settled, false when it must be tried again. */
  async function tryCall(call: Waiting): Promise<boolean> {
    if (runtime.nowMs() - call.letThroughAtMs > deps.ageSecondsMax * 1_000) {
      settle(call, { reason: "too_old", code: "" });
      return true;
    }
    try {
      const reply = await deps.verify(call.request, call.idempotencyKey);
      if (!call.isCurrent) {
        return true;
      }
      if (!reply.valid && reply.code === "RATE_LIMITED") {
        // Many calls come at once after an outage. A verdict took nothing, so the next question is a new one.
        call.idempotencyKey = runtime.newId();
        return false;
      }
      settle(call, reply.valid ? undefined : { reason: "refused", code: reply.code });
      return true;
    } catch (error) {
      if (error instanceof TurnpikeUnavailableError) {
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
    for (let call = queue[0]; call !== undefined && !isClosed; call = queue[0]) {
      if (await tryCall(call)) {
        failures = 0;
      } else {
        failures += 1;
        moveToEnd(call);
        await pause(failures);
      }
    }
    isRunning = false;
  }

  return {
    add(call) {
      queue.push({ ...call, isCurrent: true });
      if (!isRunning) {
        isRunning = true;
        void run();
      }
    },
    wake: () => endPause(),
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
