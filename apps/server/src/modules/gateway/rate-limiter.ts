import {
  decideRateLimit,
  type RateLimit,
  type RateLimitDecision,
  type RateLimitState,
} from "@turnpike/domain/limits/rate-limit";
import type { LimitScope } from "./call-to-decide.ts";

export type RateLimitVerdict = {
  rateLimit: RateLimit;
  scope: LimitScope;
  decision: RateLimitDecision;
};

export type RateLimiter = {
  /** Decides a call under every limit of a slot, such as a tenant's environment or a key; takes nothing. */
  decide(input: {
    slot: string;
    rateLimits: readonly RateLimit[];
    scope: LimitScope;
    cost: number;
  }): RateLimitVerdict[];
  /** Takes what {@link decide} allowed. No other call may have been decided in between for the same slot. */
  take(slot: string, verdicts: readonly RateLimitVerdict[]): void;
};

/** Buckets in memory at the most, before those that are full again are dropped. */
const BUCKETS_MAX = 200_000;
/** Looking through all of them takes milliseconds, which must not be the price of every call. */
const SWEEP_INTERVAL_MS = 1_000;
const FULL: RateLimitState = { fullAtMs: 0 };

/** Keeps the buckets of this process in memory. A dropped bucket is a full one, so nothing is lost by dropping it. */
export function createRateLimiter(deps: { monotonicMs: () => number }): RateLimiter {
  const buckets = new Map<string, RateLimitState>();
  let sweptAtMs = Number.NEGATIVE_INFINITY;

  function dropFullBuckets(nowMs: number): void {
    for (const [bucket, state] of buckets) {
      if (state.fullAtMs <= nowMs) {
        buckets.delete(bucket);
      }
    }
  }

  return {
    decide: ({ slot, rateLimits, scope, cost }) => {
      const nowMs = deps.monotonicMs();
      return rateLimits.map((rateLimit) => ({
        rateLimit,
        scope,
        decision: decideRateLimit({
          rateLimit,
          state: buckets.get(`${slot}|${rateLimit.name}`) ?? FULL,
          cost,
          nowMs,
        }),
      }));
    },
    take: (slot, verdicts) => {
      const nowMs = deps.monotonicMs();
      if (buckets.size >= BUCKETS_MAX && nowMs - sweptAtMs > SWEEP_INTERVAL_MS) {
        sweptAtMs = nowMs;
        dropFullBuckets(nowMs);
      }
      for (const { rateLimit, decision } of verdicts) {
        buckets.set(`${slot}|${rateLimit.name}`, decision.next);
      }
    },
  };
}
