import { afterAll, vi } from "vitest";

const REAL_TIMERS = Symbol.for("turnpike.real-timers");
/** Of the worker's first file, before any test ran. */
const realSetTimeout: typeof setTimeout = Reflect.get(globalThis, REAL_TIMERS) ?? setTimeout;
Reflect.set(globalThis, REAL_TIMERS, realSetTimeout);

// Files of a worker share their globals: a fake clock left behind would stop every wait of the next file, for as long as
// its hooks may take.
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  if (globalThis.setTimeout !== realSetTimeout) {
    globalThis.setTimeout = realSetTimeout;
    console.warn("This file left a fake setTimeout, which was taken away.");
  }
});
