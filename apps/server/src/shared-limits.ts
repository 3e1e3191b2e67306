import { createRateLimiter, type ShareUpstream } from "#modules/gateway/index.ts";
import { type AttemptLimits, createSharedAttemptLimits } from "#modules/identity/index.ts";
import type { PermitCounts } from "#platform/permit-counts.ts";
import {
  createSharedPermitCountsMemory,
  freeSharedPermitsOf,
  openSharedPermitCounts,
  type SharedPermitCountsMemory,
} from "#platform/shared-permit-counts.ts";
import {
  createSharedPermitsMemory,
  freePermitsOf,
  openSharedPermits,
  type SharedPermitsMemory,
} from "#platform/shared-permits.ts";
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
  /** Two kinds for each upstream: everything under way, and the preflights of it. */
  permits: SharedPermitsMemory;
  /** The same by owner: a tenant or a key with a limit, and each tenant at each upstream. */
  callCounts: SharedPermitCountsMemory;
};

/** What one thread counts on it. */
export type SharedLimits = {
  rateLimiter: ReturnType<typeof createRateLimiter>;
  attemptsOf(name: string): AttemptLimits;
  callCounts: PermitCounts;
  shareUpstream(index: number): ShareUpstream;
};

/** Half as many may be in use before a bucket finds no free entry among its 64. 29 MB, of which only the used part is allocated. */
const RATE_ENTRIES = 2 ** 20;
const ATTEMPT_ENTRIES = 2 ** 17;
/** Owners of calls under way: more than a process has connections by default. 10 MB with 16 threads, allocated likewise. */
const CALL_ENTRIES = 2 ** 17;

export function createSharedMemory(input: { upstreams: number; workers: number }): SharedMemory {
  return {
    rates: createSharedRateMemory(RATE_ENTRIES),
    attempts: createSharedRateMemory(ATTEMPT_ENTRIES),
    permits: createSharedPermitsMemory(2 * input.upstreams, input.workers),
    callCounts: createSharedPermitCountsMemory(CALL_ENTRIES, input.workers),
  };
}

/** @param worker - Number of this thread, 1 or more. */
export function openSharedLimits(memory: SharedMemory, worker: number): SharedLimits {
  const attempts = openSharedRateTable(memory.attempts, { holder: worker, whenFull: "forget" });
  const countsOf = (name: string) =>
    openSharedPermitCounts(memory.callCounts, { name, holder: worker });
  const rates = openSharedRateTable(memory.rates, { holder: worker, whenFull: "refuse" });
  return {
    rateLimiter: createRateLimiter({ table: rates }),
    attemptsOf: (name) => createSharedAttemptLimits(attempts, name),
    callCounts: countsOf("limits"),
    shareUpstream: (index) => ({
      permits: (max) => openSharedPermits(memory.permits, { kind: 2 * index, max, holder: worker }),
      preflights: (max) =>
        openSharedPermits(memory.permits, { kind: 2 * index + 1, max, holder: worker }),
      holders: () => countsOf(`upstream ${String(index)}`),
    }),
  };
}

/** Frees for the others what a dead thread held. */
export function forgetWorker(memory: SharedMemory, worker: number): void {
  forgetDeadThread(memory.rates, worker);
  forgetDeadThread(memory.attempts, worker);
  freePermitsOf(memory.permits, worker);
  freeSharedPermitsOf(memory.callCounts, worker);
}
