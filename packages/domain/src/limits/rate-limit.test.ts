import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideRateLimit, type RateLimit, type RateLimitState } from "./rate-limit.ts";

const FULL: RateLimitState = { fullAtMs: 0 };
/** How much rounding may shift a decision, as a fraction of the time between two calls; see the slack in the code. */
const SLACK = 2e-3;

const rateLimit = fc
  .record({
    limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 1_000_000 })),
    windowSeconds: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constantFrom(3_600, 86_400)),
  })
  .map((bounds): RateLimit => ({ name: "test", ...bounds }));
/** A moment in the life of a process that has run for up to 100 days. */
const nowMs = fc.integer({ min: 0, max: 100 * 86_400_000 });

function decide(limit: RateLimit, state: RateLimitState, now: number, cost = 1) {
  return decideRateLimit({ rateLimit: limit, state, cost, nowMs: now });
}

/** A bucket from which `taken` calls were taken at once. */
function taken(limit: RateLimit, calls: number, now: number): RateLimitState {
  return calls === 0 ? FULL : decide(limit, FULL, now, calls).next;
}

describe("decideRateLimit", () => {
  it("decides like exact arithmetic, over any sequence of calls", () => {
    const gapsMs = fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(5_000)), {
      minLength: 1,
      maxLength: 120,
    });
    fc.assert(
      fc.property(rateLimit, nowMs, gapsMs, (limit, start, gaps) => {
        // In units of 1/limit ms every quantity is whole.
        const scale = BigInt(limit.limit);
        const stepExact = BigInt(limit.windowSeconds * 1000);
        const windowExact = stepExact * scale;
        let fullAt = 0n;
        let state = FULL;
        let now = start;
        for (const gap of gaps) {
          now += gap;
          const nowExact = BigInt(now) * scale;
          const from = fullAt > nowExact ? fullAt : nowExact;
          const over = Number(from + stepExact - nowExact - windowExact);
          const decision = decide(limit, state, now);
          if (over <= 0) {
            expect(decision.allowed).toBe(true);
          } else if (over > Number(stepExact) * SLACK) {
            expect(decision.allowed).toBe(false);
          }
          if (decision.allowed) {
            state = decision.next;
            fullAt = from + stepExact;
          }
        }
      }),
    );
  });

  it("admits at most the bucket and what flows into it, over any time", () => {
    const smallLimit = fc.record({
      name: fc.constant("test"),
      limit: fc.integer({ min: 1, max: 20 }),
      windowSeconds: fc.integer({ min: 1, max: 3 }),
    });
    const gapsMs = fc.array(fc.oneof(fc.constant(0), fc.nat(40)), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(smallLimit, nowMs, gapsMs, (limit, start, gaps) => {
        let state = FULL;
        let now = start;
        const passed: number[] = [];
        for (const gap of gaps) {
          now += gap;
          const decision = decide(limit, state, now);
          if (decision.allowed) {
            state = decision.next;
            passed.push(now);
          }
        }
        for (const [first, from] of passed.entries()) {
          for (let last = first; last < passed.length; last += 1) {
            const lengthMs = (passed[last] ?? from) - from;
            const flowsIn = (lengthMs * limit.limit) / (limit.windowSeconds * 1000);
            expect(last - first + 1).toBeLessThanOrEqual(limit.limit + flowsIn + SLACK);
          }
        }
      }),
    );
  });

  it("admits the whole bucket at one instant and not one call more", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 60 }),
        nowMs,
        (limit, windowSeconds, now) => {
          const bounds = { name: "test", limit, windowSeconds };
          let state = FULL;
          for (let call = 1; call <= limit; call += 1) {
            const decision = decide(bounds, state, now);
            expect(decision.allowed).toBe(true);
            expect(decision.remaining).toBe(limit - call);
            state = decision.next;
          }
          expect(decide(bounds, state, now).allowed).toBe(false);
        },
      ),
    );
  });

  it("takes nothing for a call that it refuses", () => {
    fc.assert(
      fc.property(rateLimit, nowMs, (limit, now) => {
        const empty = taken(limit, limit.limit, now);
        const refused = decide(limit, empty, now);
        expect(refused.allowed).toBe(false);
        expect(refused.next.fullAtMs).toBeCloseTo(empty.fullAtMs, 6);
      }),
    );
  });

  it("is right about waiting: a call passes after retryAfterMs and not a millisecond earlier", () => {
    fc.assert(
      fc.property(
        rateLimit,
        nowMs,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (limit, now, fraction) => {
          const empty = taken(limit, limit.limit, now);
          const later = now + Math.floor(fraction * 1000 * (limit.windowSeconds / limit.limit));
          const refused = decide(limit, empty, later);
          fc.pre(!refused.allowed);
          expect(refused.remaining).toBe(0);
          expect(refused.retryAfterMs).toBeGreaterThan(0);
          expect(decide(limit, empty, later + refused.retryAfterMs).allowed).toBe(true);
          if (refused.retryAfterMs > 1) {
            expect(decide(limit, empty, later + refused.retryAfterMs - 1).allowed).toBe(false);
          }
        },
      ),
    );
  });

  it("is right about what remains: exactly that many calls pass at once", () => {
    fc.assert(
      fc.property(
        rateLimit,
        nowMs,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(10_000),
        (limit, now, fraction, waitMs) => {
          const state = taken(limit, Math.floor(fraction * limit.limit), now);
          const { remaining, retryAfterMs } = decide(limit, state, now + waitMs, 0);
          expect(remaining).toBeGreaterThanOrEqual(0);
          expect(remaining).toBeLessThanOrEqual(limit.limit);
          expect(decide(limit, state, now + waitMs, remaining).allowed).toBe(true);
          expect(decide(limit, state, now + waitMs, remaining + 1).allowed).toBe(false);
          expect(retryAfterMs === 0).toBe(remaining > 0);
        },
      ),
    );
  });

  it("is full again after resetAfterMs, and not a millisecond earlier", () => {
    fc.assert(
      fc.property(rateLimit, nowMs, (limit, now) => {
        const { next, resetAfterMs } = decide(limit, FULL, now);
        expect(decide(limit, next, now + resetAfterMs, limit.limit).allowed).toBe(true);
        if (resetAfterMs > 1) {
          expect(decide(limit, next, now + resetAfterMs - 1, limit.limit).allowed).toBe(false);
        }
      }),
    );
  });

  it("only gains with time: a call that may pass now may pass later", () => {
    fc.assert(
      fc.property(
        rateLimit,
        nowMs,
        fc.nat(1_000_000),
        fc.nat(1_000_000),
        (limit, now, calls, waitMs) => {
          const state = taken(limit, calls % (limit.limit + 1), now);
          const before = decide(limit, state, now, 0).remaining;
          const after = decide(limit, state, now + waitMs, 0).remaining;
          expect(after).toBeGreaterThanOrEqual(before);
        },
      ),
    );
  });

  it("takes nothing for a cost of 0", () => {
    const limit = { name: "test", limit: 2, windowSeconds: 1 };
    const state = taken(limit, 1, 5_000);
    const decision = decide(limit, state, 5_000, 0);
    expect(decision).toMatchObject({ allowed: true, remaining: 1, retryAfterMs: 0, next: state });
  });

  it("counts a bucket as owing at most one more when a shorter window replaced its limit", () => {
    const daily = { name: "test", limit: 10, windowSeconds: 86_400 };
    const perSecond = { name: "test", limit: 10, windowSeconds: 1 };
    const state = taken(daily, 10, 5_000);
    const refused = decide(perSecond, state, 5_000);
    expect(refused).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 1_100 });
    expect(decide(perSecond, refused.next, 6_099).allowed).toBe(false);
    expect(decide(perSecond, refused.next, 6_100).allowed).toBe(true);
  });
});
