import { AppError } from "@turnpike/domain/errors/app-error";
import {
  decideRateLimit,
  type RateLimit,
  type RateLimitDecision,
  type RateLimitState,
} from "@turnpike/domain/limits/rate-limit";
import { MutexBusyError } from "#platform/shared-mutex.ts";
import {
  RateTableFullError,
  type SharedRateTable,
  type SharedTake,
} from "#platform/shared-rate-table.ts";
import type { LimitScope } from "./call-to-decide.ts";

export type RateLimitVerdict = {
  rateLimit: RateLimit;
  scope: LimitScope;
  /** As of the decision; once it is taken, as of that. */
  decision: RateLimitDecision;
};

/** What was decided under the limits of one slot. */
export type SlotVerdicts = { slot: string; verdicts: readonly RateLimitVerdict[] };

export type RateLimiter = {
  /** Decides a call under every limit of a slot, such as a tenant's environment or a key; takes nothing. */
  decide(input: {
    slot: string;
    rateLimits: readonly RateLimit[];
    scope: LimitScope;
    cost: number;
  }): RateLimitVerdict[];
  /**
   * Takes what {@link decide} allowed, of all slots or of none. This thread may not have decided another call in between.
   *
   * @returns The verdict under which another thread took the last call meanwhile; `undefined` when all were taken.
   */
  take(slots: readonly SlotVerdicts[]): RateLimitVerdict | undefined;
};

/** Buckets in memory at the most, before those that are full again are dropped. */
const BUCKETS_MAX = 200_000;
/** Looking through all of them takes milliseconds, which must not be the price of every call. */
const SWEEP_INTERVAL_MS = 1_000;
const FULL: RateLimitState = { fullAtMs: 0 };
/** More than rounding can make: what lies beyond the window was left behind by a longer one of the same name. */
const LEFT_BEHIND_MS = 1;

function nameBucket(slot: string, rateLimit: RateLimit): string {
  return `${slot}|${rateLimit.name}`;
}

type Bucket = RateLimitState & { name: string };

/** Buckets of a slot that are looked through one by one: a plan or a key has a handful of limits. */
const LIST_MAX = 8;

/**
 * The buckets of a slot, found by name. More of them than {@link LIST_MAX} are what a key leaves behind whose limits are renamed
 * again and again, which must not make each of its calls dearer.
 */
class SlotBuckets {
  #list: Bucket[] = [];
  #byName: Map<string, Bucket> | undefined;

  get size(): number {
    return this.#list.length;
  }

  find(name: string): Bucket | undefined {
    if (this.#byName !== undefined) {
      return this.#byName.get(name);
    }
    // Nearly always the only one. No function: it would be made anew for every call.
    for (const bucket of this.#list) {
      if (bucket.name === name) {
        return bucket;
      }
    }
    return undefined;
  }

  add(bucket: Bucket): void {
    this.#list.push(bucket);
    if (this.#byName !== undefined) {
      this.#byName.set(bucket.name, bucket);
    } else if (this.#list.length > LIST_MAX) {
      this.#byName = new Map(this.#list.map((one) => [one.name, one]));
    }
  }

  dropFull(nowMs: number): void {
    this.#list = this.#list.filter(({ fullAtMs }) => fullAtMs > nowMs);
    this.#byName =
      this.#list.length > LIST_MAX
        ? new Map(this.#list.map((bucket) => [bucket.name, bucket]))
        : undefined;
  }
}

/**
 * Keeps the buckets of this process in memory. A dropped bucket is a full one, so nothing is lost by dropping it. Found by
 * slot, then by name: a name put together of both would have to be read through again for every call.
 */
export function createRateLimiter(deps: { monotonicMs: () => number }): RateLimiter {
  const slots = new Map<string, SlotBuckets>();
  let bucketCount = 0;
  let sweptAtMs = Number.NEGATIVE_INFINITY;

  function sweepOnceInAWhile(): void {
    const nowMs = deps.monotonicMs();
    if (nowMs - sweptAtMs <= SWEEP_INTERVAL_MS) {
      return;
    }
    sweptAtMs = nowMs;
    bucketCount = 0;
    for (const [slot, buckets] of slots) {
      buckets.dropFull(nowMs);
      if (buckets.size === 0) {
        slots.delete(slot);
      }
      bucketCount += buckets.size;
    }
  }

  function takeOf(slot: string, verdicts: readonly RateLimitVerdict[]): void {
    let buckets = slots.get(slot);
    if (buckets === undefined) {
      buckets = new SlotBuckets();
      slots.set(slot, buckets);
    }
    for (const { rateLimit, decision } of verdicts) {
      const { fullAtMs } = decision.next;
      const bucket = buckets.find(rateLimit.name);
      if (bucket === undefined) {
        buckets.add({ name: rateLimit.name, fullAtMs });
        bucketCount += 1;
      } else {
        bucket.fullAtMs = fullAtMs;
      }
    }
  }

  return {
    decide: ({ slot, rateLimits, scope, cost }) => {
      const nowMs = deps.monotonicMs();
      const buckets = slots.get(slot);
      return rateLimits.map((rateLimit) => {
        const bucket = buckets?.find(rateLimit.name);
        const state = bucket ?? FULL;
        const decision = decideRateLimit({ rateLimit, state, cost, nowMs });
        const windowMs = rateLimit.windowSeconds * 1_000;
        if (bucket !== undefined && bucket.fullAtMs > nowMs + windowMs + LEFT_BEHIND_MS) {
          // Or it would be judged anew at every call, and stay closed for the whole of the longer window.
          bucket.fullAtMs = decision.next.fullAtMs;
        }
        return { rateLimit, scope, decision };
      });
    },
    take: (taken) => {
      if (bucketCount >= BUCKETS_MAX) {
        sweepOnceInAWhile();
      }
      for (const { slot, verdicts } of taken) {
        if (verdicts.length > 0) {
          takeOf(slot, verdicts);
        }
      }
      return;
    },
  };
}

/**
 * Counts on the buckets of all threads of the process. What another thread takes between decision and taking is seen when it
 * is taken: then nothing is, and what a call had taken of its other limits is given back. In the microseconds until then
 * those others may refuse a call that they would have let pass.
 *
 * @returns A limiter whose methods throw {@link AppError} `OVERLOADED` when more buckets are in use than there is room for.
 */
export function createSharedRateLimiter(table: SharedRateTable): RateLimiter {
  function takeOne(bucket: string, rateLimit: RateLimit): SharedTake {
    try {
      return table.take(bucket, rateLimit, 1);
    } catch (error) {
      if (error instanceof RateTableFullError || error instanceof MutexBusyError) {
        throw new AppError({
          code: "OVERLOADED",
          publicMessage: "Too many rate limits are in use. Try again in a moment.",
          headers: { "retry-after": "1" },
          cause: error,
        });
      }
      throw error;
    }
  }

  return {
    decide: ({ slot, rateLimits, scope, cost }) =>
      rateLimits.map((rateLimit) => ({
        rateLimit,
        scope,
        decision: table.look(nameBucket(slot, rateLimit), rateLimit, cost),
      })),
    take: (slots) => {
      const taken: { bucket: string; rateLimit: RateLimit; takenAtMs: number }[] = [];
      const giveBackAll = () => {
        for (const { bucket, rateLimit, takenAtMs } of taken) {
          table.giveBack(bucket, rateLimit, { cost: 1, takenAtMs });
        }
      };
      for (const { slot, verdicts } of slots) {
        for (const verdict of verdicts) {
          const { rateLimit } = verdict;
          const bucket = nameBucket(slot, rateLimit);
          let one: SharedTake;
          try {
            one = takeOne(bucket, rateLimit);
          } catch (error) {
            giveBackAll();
            throw error;
          }
          verdict.decision = one.decision;
          if (!one.decision.allowed) {
            giveBackAll();
            return verdict;
          }
          taken.push({ bucket, rateLimit, takenAtMs: one.takenAtMs });
        }
      }
      return;
    },
  };
}
