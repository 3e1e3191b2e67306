import { createRateLimiter } from "#modules/gateway/index.ts";
import { type AttemptLimits, createSharedAttemptLimits } from "#modules/identity/index.ts";
import {
  createSharedPlacesMemory,
  freePlacesOf,
  openSharedPlaces,
  type SharedPlaces,
  type SharedPlacesMemory,
} from "#platform/shared-places.ts";
import {
  createSharedRateMemory,
  forgetDeadThread,
  openSharedRateTable,
  type SharedRateMemory,
} from "#platform/shared-rate-table.ts";

/** The memory in which the threads of a process count what they may do together. */
export type SharedMemory = {
  rates: SharedRateMemory;
  attempts: SharedRateMemory;
  /** Calls under way, one kind for each upstream. */
  places: SharedPlacesMemory;
};

/** What one thread counts on it. */
export type SharedLimits = {
  rateLimiter: ReturnType<typeof createRateLimiter>;
  attemptsOf(name: string): AttemptLimits;
  upstreamPlaces(index: number, max: number): SharedPlaces;
};

/** Half as many may be in use before a bucket finds no place among its 64; 25 MB, of which only what is used is taken. */
const RATE_PLACES = 2 ** 20;
const ATTEMPT_PLACES = 2 ** 17;

export function createSharedMemory(input: { upstreams: number; workers: number }): SharedMemory {
  return {
    rates: createSharedRateMemory(RATE_PLACES),
    attempts: createSharedRateMemory(ATTEMPT_PLACES),
    places: createSharedPlacesMemory(input.upstreams, input.workers),
  };
}

/** @param worker - Number of this thread, 1 or more. */
export function openSharedLimits(memory: SharedMemory, worker: number): SharedLimits {
  const attempts = openSharedRateTable(memory.attempts, { holder: worker, whenFull: "forget" });
  const rates = openSharedRateTable(memory.rates, { holder: worker, whenFull: "refuse" });
  return {
    rateLimiter: createRateLimiter({ table: rates }),
    attemptsOf: (name) => createSharedAttemptLimits(attempts, name),
    upstreamPlaces: (kind, max) => openSharedPlaces(memory.places, { kind, max, holder: worker }),
  };
}

/** What a thread held that has ended is free for the others. */
export function forgetWorker(memory: SharedMemory, worker: number): void {
  forgetDeadThread(memory.rates, worker);
  forgetDeadThread(memory.attempts, worker);
  freePlacesOf(memory.places, worker);
}
