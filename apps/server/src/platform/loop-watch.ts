import type { IncomingMessage } from "node:http";
import type { Logger } from "./logger.ts";

/** Requests that are remembered: more do not begin while a thread is held by one of them. */
const REMEMBERED = 8;

/** The newest requests of a listener, to name those under suspicion. Costs a call one store, and nothing is copied. */
export class RecentRequests {
  readonly #requests: (IncomingMessage | undefined)[] = new Array(REMEMBERED).fill(undefined);
  #count = 0;

  note(req: IncomingMessage): void {
    this.#requests[this.#count % REMEMBERED] = req;
    this.#count += 1;
  }

  /** Method and path of each, the newest first; without queries. */
  list(): string[] {
    const from = Math.max(0, this.#count - REMEMBERED);
    return Array.from({ length: this.#count - from }, (_, index) => {
      const req = this.#requests[(this.#count - 1 - index) % REMEMBERED];
      return `${req?.method ?? ""} ${(req?.url ?? "").split("?", 1)[0] ?? ""}`;
    });
  }
}

export const LOOP_HELD = "The event loop was held";

const TICK_MS = 50;
/** Far above what any request takes, so that each line in the log is a fault. */
const HOLD_MS = 200;

export type LoopClock = {
  monotonicMs(): number;
  /** Processor time of this thread so far, in milliseconds. */
  cpuMs(): number;
};

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * Decides, at each tick, whether this thread worked without a pause since the last one. Processor time counts, so that a busy
 * or sleeping machine is no fault of ours.
 *
 * @returns Called at each tick: the milliseconds for which the thread was held; undefined if it was not.
 */
export function createHoldMeter(clock: LoopClock): () => number | undefined {
  let lastMs = clock.monotonicMs();
  let lastCpuMs = clock.cpuMs();
  return () => {
    const nowMs = clock.monotonicMs();
    const cpuMs = clock.cpuMs();
    // Up to a tick's time may have been spent in turns before the one that was too long.
    const heldMs = Math.min(cpuMs - lastCpuMs, nowMs - lastMs) - TICK_MS;
    lastMs = nowMs;
    lastCpuMs = cpuMs;
    return heldMs >= HOLD_MS ? heldMs : undefined;
  };
}

/**
 * Logs whenever this thread was kept from everything else by one piece of work, with the requests that may have caused it.
 *
 * @returns Ends it.
 */
export function watchLoop(deps: {
  logger: Logger;
  monotonicMs: () => number;
  recent: RecentRequests;
}): () => void {
  const meter = createHoldMeter({ monotonicMs: deps.monotonicMs, cpuMs: threadCpuMs });
  const timer = setInterval(() => {
    const heldMs = meter();
    if (heldMs !== undefined) {
      deps.logger.warn({ heldMs: Math.round(heldMs), requests: deps.recent.list() }, LOOP_HELD);
    }
  }, TICK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
