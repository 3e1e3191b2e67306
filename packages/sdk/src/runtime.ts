/** What the client needs of its platform: the same names in Node, Deno, Bun and on the edge. */
export type Runtime = {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Monotonic milliseconds. */
  nowMs: () => number;
  /** Epoch milliseconds. */
  epochMs: () => number;
  /** At least 0 and less than 1. */
  random: () => number;
  newId: () => string;
  /** Resolves after that many milliseconds. A background wait does not keep an otherwise idle program alive. */
  sleep: (ms: number, kind?: "background") => Promise<void>;
};

function sleep(ms: number, kind?: "background"): Promise<void> {
  return new Promise((resolve) => {
    const timer: unknown = setTimeout(resolve, ms);
    // Node's timers are objects; those of other platforms are numbers and keep nothing alive.
    if (kind === "background" && typeof timer === "object" && timer !== null && "unref" in timer) {
      (timer as { unref(): void }).unref();
    }
  });
}

export const SYSTEM_RUNTIME: Runtime = {
  fetch: (...call) => globalThis.fetch(...call),
  nowMs: () => performance.now(),
  epochMs: () => Date.now(),
  random: () => Math.random(),
  newId: () => crypto.randomUUID(),
  sleep,
};
