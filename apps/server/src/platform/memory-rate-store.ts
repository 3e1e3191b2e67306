import { AppError } from "@turnpike/domain/errors/app-error";
import { decideRateLimit } from "@turnpike/domain/limits/rate-limit";
import type { RateAnswer, RateBucket, RateRequest, RateStore } from "./rate-store.ts";

/** Each takes some 200 bytes. */
const BUCKETS_MAX = 500_000;
/** A sweep over all of them takes milliseconds, which not every call may cost. */
const SWEEP_INTERVAL_MS = 1_000;

/** A store that answers at once, so that what is decided needs no promise. */
export interface MemoryRateStore extends RateStore {
  decideNow(request: RateRequest): RateAnswer;
}

/**
 * Keeps buckets in the memory of this thread.
 *
 * @param deps.emptyAtMs - Monotonic milliseconds at which a bucket that is not known was empty. Left out: such a bucket is full.
 */
export function createMemoryRateStore(deps: {
  monotonicMs: () => number;
  emptyAtMs?: number;
  bucketsMax?: number;
}): MemoryRateStore {
  const { emptyAtMs = Number.NEGATIVE_INFINITY, bucketsMax = BUCKETS_MAX } = deps;
  const fullAtMsOf = new Map<string, number>();
  let sweptAtMs = Number.NEGATIVE_INFINITY;

  function makeRoom(nowMs: number): void {
    if (fullAtMsOf.size < bucketsMax) {
      return;
    }
    if (nowMs - sweptAtMs > SWEEP_INTERVAL_MS) {
      sweptAtMs = nowMs;
      for (const [name, fullAtMs] of fullAtMsOf) {
        if (fullAtMs <= nowMs) {
          fullAtMsOf.delete(name);
        }
      }
    }
    if (fullAtMsOf.size >= bucketsMax) {
      throw new AppError({
        code: "OVERLOADED",
        publicMessage: "Too many rate limits are in use. Try again in a moment.",
        headers: { "retry-after": "1" },
      });
    }
  }

  function decideBucket({ name, rateLimit }: RateBucket, cost: number, nowMs: number) {
    const windowMs = rateLimit.windowSeconds * 1_000;
    const fullAtMs = fullAtMsOf.get(name) ?? emptyAtMs + windowMs;
    return decideRateLimit({ rateLimit, state: { fullAtMs }, cost, nowMs });
  }

  function force({ name, rateLimit }: RateBucket, cost: number, nowMs: number): number {
    const windowMs = rateLimit.windowSeconds * 1_000;
    const { resetAfterMs } = decideBucket({ name, rateLimit }, 0, nowMs);
    const levelMs = resetAfterMs + (cost * windowMs) / rateLimit.limit;
    return Math.min(Math.max(levelMs, 0), windowMs);
  }

  function decideNow({ buckets, cost, isForced = false }: RateRequest): RateAnswer {
    const nowMs = deps.monotonicMs();
    if (isForced) {
      const levelsMs = buckets.map((bucket) => force(bucket, cost, nowMs));
      for (const [index, { name }] of buckets.entries()) {
        fullAtMsOf.set(name, nowMs + (levelsMs[index] ?? 0));
      }
      return { isTaken: true, levelsMs };
    }
    const decisions = buckets.map((bucket) => decideBucket(bucket, cost, nowMs));
    const isTaken = decisions.every(({ allowed }) => allowed);
    if (isTaken && cost > 0) {
      makeRoom(nowMs);
      for (const [index, { name }] of buckets.entries()) {
        fullAtMsOf.set(name, decisions[index]?.next.fullAtMs ?? nowMs);
      }
    }
    return {
      isTaken,
      levelsMs: isTaken
        ? decisions.map(({ resetAfterMs }) => resetAfterMs)
        : buckets.map((bucket) => decideBucket(bucket, 0, nowMs).resetAfterMs),
    };
  }

  return {
    kind: "memory",
    groupsMax: 1,
    decideNow,
    decide: (requests) => Promise.resolve(requests.map(decideNow)),
    join: ({ member }) => Promise.resolve([member]),
    leave: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
