import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decideRateLimit,
  type RateLimit,
  type RateLimitState,
  takePassedCalls,
} from "./rate-limit.ts";

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

  it("refuses for no longer than a window and a minute, for a clock that jumped back as well", () => {
    const perSecond = { name: "test", limit: 10, windowSeconds: 1 };
    const refused = decide(perSecond, { fullAtMs: 90_000_000 }, 5_000);
    expect(refused).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 60_100 });
    expect(decide(perSecond, refused.next, 65_099).allowed).toBe(false);
    expect(decide(perSecond, refused.next, 65_100).allowed).toBe(true);
  });
});

describe("takePassedCalls", () => {
  /** In calls. */
  const ROUNDING = 0.01;
  const cutOff = fc.record({
    limit: fc.integer({ min: 1, max: 50 }),
    windowSeconds: fc.constantFrom(1, 2, 10),
    /** Seconds for which one of three processes is cut off; its third of them passes beside the store. */
    seconds: fc.integer({ min: 0, max: 170 }),
    /** Reports come this often. */
    everyMs: fc.constantFrom(250, 1_000, 7_000, 1_000_000),
  });

  it("lets the others and a process that was cut off pass no more in total than the limit and its refill", () => {
    fc.assert(
      fc.property(cutOff, ({ limit, windowSeconds, seconds, everyMs }) => {
        const rateLimit = { name: "test", limit: limit * 3, windowSeconds };
        const stepMs = (windowSeconds * 1_000) / rateLimit.limit;
        let state: RateLimitState = { fullAtMs: 0 };
        let passed = 0;
        let unreported = 0;
        let shareMs = 0;
        let reportedAtMs = 0;
        const takeAll = (nowMs: number) => {
          const { remaining } = decide(rateLimit, state, nowMs, 0);
          state = decide(rateLimit, state, nowMs, remaining).next;
          passed += remaining;
        };
        const endMs = seconds * 1_000;
        for (let nowMs = 0; nowMs <= endMs; nowMs += 50) {
          takeAll(nowMs);
          while (shareMs + 3 * stepMs <= nowMs) {
            shareMs += 3 * stepMs;
            unreported += 1;
            passed += 1;
          }
          if (nowMs - reportedAtMs >= everyMs || nowMs + 50 > endMs) {
            const besideMs = nowMs - reportedAtMs;
            state = takePassedCalls({ rateLimit, state, cost: unreported, besideMs, nowMs });
            unreported = 0;
            reportedAtMs = nowMs;
          }
        }
        // Until nothing is owed.
        const lastMs = Math.max(endMs, state.fullAtMs - windowSeconds * 1_000);
        takeAll(lastMs);
        expect(passed).toBeLessThanOrEqual(rateLimit.limit + lastMs / stepMs + ROUNDING);
      }),
      { numRuns: 50 },
    );
  });

  it("owes for each of several cut-offs, also while it owes for the ones before, however its reports are cut", () => {
    const cutOffs = fc.array(
      fc.record({
        lastsMs: fc.integer({ min: 0, max: 20_000 }),
        reports: fc.integer({ min: 1, max: 3 }),
        restMs: fc.integer({ min: 0, max: 3_000 }),
      }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(cutOffs, fc.integer({ min: 1, max: 100 }), (all, third) => {
        const rateLimit = { name: "test", limit: third * 3, windowSeconds: 1 };
        const stepMs = 1_000 / rateLimit.limit;
        let state: RateLimitState = { fullAtMs: 0 };
        let passed = 0;
        let nowMs = 0;
        const takeAll = () => {
          const { remaining } = decide(rateLimit, state, nowMs, 0);
          state = decide(rateLimit, state, nowMs, remaining).next;
          passed += remaining;
        };
        const takeUntil = (endMs: number) => {
          for (; nowMs < endMs; nowMs = Math.min(nowMs + 50, endMs)) {
            takeAll();
          }
          takeAll();
        };
        for (const { lastsMs, reports, restMs } of all) {
          const sinceMs = nowMs;
          takeUntil(sinceMs + lastsMs);
          let unreported = Math.floor(lastsMs / (3 * stepMs));
          passed += unreported;
          for (let report = reports; report > 0; report -= 1) {
            const cost = report === 1 ? unreported : Math.floor(unreported / report);
            nowMs += 1;
            const besideMs = nowMs - sinceMs;
            state = takePassedCalls({ rateLimit, state, cost, besideMs, nowMs });
            unreported -= cost;
          }
          takeUntil(nowMs + restMs);
        }
        // Until nothing is owed.
        takeUntil(state.fullAtMs - 1_000);
        expect(passed).toBeLessThanOrEqual(rateLimit.limit + nowMs / stepMs + ROUNDING);
      }),
    );
  });

  it("charges a process that used its share alone nothing", () => {
    const rateLimit = { name: "test", limit: 30, windowSeconds: 1 };
    const state = takePassedCalls({
      ...{ rateLimit, state: { fullAtMs: 0 }, cost: 200, besideMs: 20_000, nowMs: 90_000 },
    });
    expect(decide(rateLimit, state, 90_000, 30).allowed).toBe(true);
  });

  it("owes no more than a window where no other process was served meanwhile", () => {
    const rateLimit = { name: "test", limit: 30, windowSeconds: 1 };
    const state = takePassedCalls({
      ...{ rateLimit, state: { fullAtMs: 0 }, cost: 900, besideMs: 0, nowMs: 90_000 },
    });
    expect(state).toEqual({ fullAtMs: 92_000 });
  });

  it("gives calls back, up to a full bucket", () => {
    const rateLimit = { name: "test", limit: 10, windowSeconds: 1 };
    const back = (fullAtMs: number, cost: number) =>
      takePassedCalls({ rateLimit, state: { fullAtMs }, cost, besideMs: 0, nowMs: 5_000 });
    expect(back(5_300, -1)).toEqual({ fullAtMs: 5_200 });
    expect(back(5_300, -9)).toEqual({ fullAtMs: 5_000 });
  });
});
