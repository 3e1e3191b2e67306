import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forgottenAtMs, requiredConfidence, type Vote } from "./required-confidence.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 6, 1);

const votes = fc.array(
  fc.record({
    isUseful: fc.boolean(),
    ratedAtMs: fc.integer({ min: NOW_MS - 200 * DAY_MS, max: NOW_MS }),
  }),
  { maxLength: 30 },
);
const vote = (isUseful: boolean): Vote => ({ isUseful, ratedAtMs: NOW_MS });

describe("the confidence that feedback asks for", () => {
  it("rises with each vote of no use, halves in thirty days, and is forgotten", () => {
    const two = [vote(false), vote(false)];
    expect(requiredConfidence([], NOW_MS)).toBe(0.5);
    expect(requiredConfidence(two, NOW_MS)).toBeCloseTo(0.7, 9);
    expect(requiredConfidence(two, NOW_MS + 30 * DAY_MS)).toBeCloseTo(0.6, 9);
    expect(requiredConfidence(two, NOW_MS + 90 * DAY_MS)).toBe(0.5);
    expect(forgottenAtMs(two, NOW_MS)).toBe(NOW_MS + 90 * DAY_MS);
    expect(forgottenAtMs([vote(false), vote(true)], NOW_MS)).toBeUndefined();
  });

  it("stays within bounds, so that what is far beyond its past is always shown", () => {
    fc.assert(
      fc.property(votes, (given) => {
        const required = requiredConfidence(given, NOW_MS);
        expect(required).toBeGreaterThanOrEqual(0.5);
        expect(required).toBeLessThanOrEqual(0.9);
      }),
    );
  });

  it("never falls by a vote of no use, and never rises by a useful one", () => {
    fc.assert(
      fc.property(votes, (given) => {
        const before = requiredConfidence(given, NOW_MS);
        expect(requiredConfidence([...given, vote(false)], NOW_MS)).toBeGreaterThanOrEqual(before);
        expect(requiredConfidence([...given, vote(true)], NOW_MS)).toBeLessThanOrEqual(before);
      }),
    );
  });

  it("only fades with time, and is as usual from when the votes are forgotten", () => {
    fc.assert(
      fc.property(votes, fc.integer({ min: 0, max: 400 * DAY_MS }), (given, laterMs) => {
        const before = requiredConfidence(given, NOW_MS);
        const after = requiredConfidence(given, NOW_MS + laterMs);
        expect(after).toBeLessThanOrEqual(before + 1e-12);
        const endMs = forgottenAtMs(given, NOW_MS);
        expect(endMs === undefined).toBe(before === 0.5);
        expect(requiredConfidence(given, (endMs ?? NOW_MS) + 1_000)).toBe(0.5);
      }),
    );
  });

  it("does not depend on the order of votes", () => {
    fc.assert(
      fc.property(votes, (given) => {
        expect(requiredConfidence(given.toReversed(), NOW_MS)).toBeCloseTo(
          requiredConfidence(given, NOW_MS),
          9,
        );
      }),
    );
  });
});
