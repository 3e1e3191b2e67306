import { AppError } from "@turnpike/domain/errors/app-error";
import { judgeShare } from "@turnpike/domain/limits/fair-share";
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
import type { LimitScope } from "../call-to-decide.ts";

export type RateLimitVerdict = {
  rateLimit: RateLimit;
  scope: LimitScope;
  /** As of the decision; once it is taken, as of that. */
  decision: RateLimitDecision;
};

/** The decisions under the limits of one owner. */
export type OwnerVerdicts = { owner: string; verdicts: readonly RateLimitVerdict[] };

export type RateLimiter = {
  /** Decides a call under every limit of an owner, such as a tenant's environment or a key. Takes nothing. */
  decide(input: {
    owner: string;
    rateLimits: readonly RateLimit[];
    scope: LimitScope;
    cost: number;
  }): RateLimitVerdict[];
  /**
   * Takes what {@link decide} allowed, of all owners or of none. This thread may not have decided another call in between.
   *
   * @param owners - The first pays for the memory of the others: a tenant's environment, then a key of it.
   * @returns The verdict under which another thread took the last call meanwhile; `undefined` when all were taken.
   * @throws {AppError} `OVERLOADED` when the payer has its share of the buckets in use, or when none is free.
   */
  take(owners: readonly OwnerVerdicts[]): RateLimitVerdict | undefined;
};

/** At most so many buckets are in use at once, as of the threads of one process. Each takes some 200 bytes. */
const BUCKETS_MAX = 500_000;
/** Above this part of them, those that are full again are dropped. No payer can be over its share below a half. */
const BUCKETS_KEPT_PART = 0.4;
/** A sweep over all of them takes milliseconds, which not every call may cost. */
const SWEEP_INTERVAL_MS = 1_000;
const FULL: RateLimitState = { fullAtMs: 0 };

/**
 * A limit that replaces another of its name has a bucket of its own: the fill level of the old one says nothing about it. Going back to the old limit finds the old bucket.
 */
function nameLimit({ name, limit, windowSeconds }: RateLimit): string {
  return `${String(limit)}/${String(windowSeconds)}|${name}`;
}

/** Names the bucket of an owner under a limit. */
export function nameBucket(owner: string, rateLimit: RateLimit): string {
  return `${owner}|${nameLimit(rateLimit)}`;
}

function isSame(one: RateLimit, other: RateLimit): boolean {
  return (
    one === other ||
    (one.name === other.name &&
      one.limit === other.limit &&
      one.windowSeconds === other.windowSeconds)
  );
}

type Bucket = RateLimitState & { rateLimit: RateLimit };

/** Up to so many buckets of an owner are searched one by one: a plan or a key has a handful of limits. */
const LIST_MAX = 8;

/**
 * The buckets of a owner, found by limit. More of them than {@link LIST_MAX} are what a key leaves behind whose limits are changed
 * again and again, which must not make each of its calls dearer.
 */
class OwnerBuckets {
  /** Whose share of the memory they take. */
  readonly payer: string;
  #list: Bucket[] = [];
  #byName: Map<string, Bucket> | undefined;

  constructor(payer: string) {
    this.payer = payer;
  }

  get size(): number {
    return this.#list.length;
  }

  find(rateLimit: RateLimit): Bucket | undefined {
    if (this.#byName !== undefined) {
      return this.#byName.get(nameLimit(rateLimit));
    }
    // Nearly always the only one. A callback would be allocated for every call.
    for (const bucket of this.#list) {
      if (isSame(bucket.rateLimit, rateLimit)) {
        return bucket;
      }
    }
    return undefined;
  }

  add(bucket: Bucket): void {
    this.#list.push(bucket);
    if (this.#byName !== undefined) {
      this.#byName.set(nameLimit(bucket.rateLimit), bucket);
    } else {
      this.#nameMany();
    }
  }

  #nameMany(): void {
    this.#byName =
      this.#list.length > LIST_MAX
        ? new Map(this.#list.map((bucket) => [nameLimit(bucket.rateLimit), bucket]))
        : undefined;
  }

  dropFull(nowMs: number): void {
    this.#list = this.#list.filter(({ fullAtMs }) => fullAtMs > nowMs);
    this.#nameMany();
  }
}

function overloaded(cause?: unknown): AppError {
  return new AppError({
    code: "OVERLOADED",
    publicMessage: "Too many rate limits are in use. Try again in a moment.",
    headers: { "retry-after": "1" },
    cause,
  });
}

/**
 * Makes the limiter of a process, or with `table` that of one of its threads, which count together.
 *
 * @param deps.bucketsMax - Of a limiter without a table: buckets in use at once, for tests.
 */
export function createRateLimiter(
  deps: { monotonicMs: () => number; bucketsMax?: number } | { table: SharedRateTable },
): RateLimiter {
  return "table" in deps ? createSharedRateLimiter(deps.table) : createOwnRateLimiter(deps);
}

/**
 * Keeps the buckets of this process in memory. A dropped bucket is a full one, so nothing is lost by dropping it. Found by
 * owner, then by limit: a name put together of both would have to be read through again for every call.
 */
function createOwnRateLimiter(deps: {
  monotonicMs: () => number;
  bucketsMax?: number;
}): RateLimiter {
  const { bucketsMax = BUCKETS_MAX } = deps;
  const owners = new Map<string, OwnerBuckets>();
  const countOfPayer = new Map<string, number>();
  let bucketCount = 0;
  let sweptAtMs = Number.NEGATIVE_INFINITY;

  function sweepOnceInAWhile(): void {
    const nowMs = deps.monotonicMs();
    if (nowMs - sweptAtMs <= SWEEP_INTERVAL_MS) {
      return;
    }
    sweptAtMs = nowMs;
    bucketCount = 0;
    countOfPayer.clear();
    for (const [owner, buckets] of owners) {
      buckets.dropFull(nowMs);
      if (buckets.size === 0) {
        owners.delete(owner);
      } else {
        count(buckets.payer, buckets.size);
      }
    }
  }

  function count(payer: string, added: number): void {
    bucketCount += added;
    countOfPayer.set(payer, (countOfPayer.get(payer) ?? 0) + added);
  }

  function hasRoom(payer: string, asked: number): boolean {
    const own = countOfPayer.get(payer) ?? 0;
    return judgeShare({ whole: bucketsMax, taken: bucketCount, own, asked }) === "fits";
  }

  function assertRoom(taken: readonly OwnerVerdicts[]): void {
    let added = 0;
    for (const { owner, verdicts } of taken) {
      const buckets = verdicts.length === 0 ? undefined : owners.get(owner);
      for (const { rateLimit } of verdicts) {
        added += buckets?.find(rateLimit) === undefined ? 1 : 0;
      }
    }
    const payer = taken[0]?.owner ?? "";
    if (added > 0 && !hasRoom(payer, added)) {
      throw overloaded();
    }
  }

  function takeOf(payer: string, { owner, verdicts }: OwnerVerdicts): void {
    let buckets = owners.get(owner);
    if (buckets === undefined) {
      buckets = new OwnerBuckets(payer);
      owners.set(owner, buckets);
    }
    for (const { rateLimit, decision } of verdicts) {
      const { fullAtMs } = decision.next;
      const bucket = buckets.find(rateLimit);
      if (bucket === undefined) {
        buckets.add({ rateLimit, fullAtMs });
        count(payer, 1);
      } else {
        bucket.fullAtMs = fullAtMs;
      }
    }
  }

  return {
    decide: ({ owner, rateLimits, scope, cost }) => {
      const nowMs = deps.monotonicMs();
      const buckets = owners.get(owner);
      return rateLimits.map((rateLimit) => {
        const bucket = buckets?.find(rateLimit);
        const state = bucket ?? FULL;
        const decision = decideRateLimit({ rateLimit, state, cost, nowMs });
        return { rateLimit, scope, decision };
      });
    },
    take: (taken) => {
      if (bucketCount >= bucketsMax * BUCKETS_KEPT_PART) {
        sweepOnceInAWhile();
        assertRoom(taken);
      }
      for (const one of taken) {
        if (one.verdicts.length > 0) {
          takeOf(taken[0]?.owner ?? one.owner, one);
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
function createSharedRateLimiter(table: SharedRateTable): RateLimiter {
  function takeOne(bucket: string, rateLimit: RateLimit, payer: string | undefined): SharedTake {
    try {
      return table.take(bucket, rateLimit, 1, payer);
    } catch (error) {
      throw error instanceof RateTableFullError || error instanceof MutexBusyError
        ? overloaded(error)
        : error;
    }
  }

  /** Its own limits are few, and are never forgotten for those of its keys. */
  function payerOf(owner: string, owners: readonly OwnerVerdicts[]): string | undefined {
    const payer = owners[0]?.owner;
    return payer === owner ? undefined : payer;
  }

  return {
    decide: ({ owner, rateLimits, scope, cost }) =>
      rateLimits.map((rateLimit) => ({
        rateLimit,
        scope,
        decision: table.look(nameBucket(owner, rateLimit), rateLimit, cost),
      })),
    take: (owners) => {
      const taken: { bucket: string; rateLimit: RateLimit; takenAtMs: number }[] = [];
      const giveBackAll = () => {
        for (const { bucket, rateLimit, takenAtMs } of taken) {
          table.giveBack(bucket, rateLimit, { cost: 1, takenAtMs });
        }
      };
      for (const { owner, verdicts } of owners) {
        for (const verdict of verdicts) {
          const { rateLimit } = verdict;
          const bucket = nameBucket(owner, rateLimit);
          let one: SharedTake;
          try {
            one = takeOne(bucket, rateLimit, payerOf(owner, owners));
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
