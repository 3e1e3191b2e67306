import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decideQuotaThreshold,
  QUOTA_THRESHOLDS_DEFAULT,
  type QuotaTold,
  reachedThreshold,
} from "./quota-threshold.ts";

const JANUARY = Date.parse("2026-01-01T00:00:00Z");
const FEBRUARY = Date.parse("2026-02-01T00:00:00Z");

type Look = {
  used: number;
  limit?: number;
  periodStartMs?: number;
  thresholds?: readonly number[];
};

/** What is told, look by look. */
function tell(looks: readonly Look[]): (number | null)[] {
  let told: QuotaTold | null = null;
  return looks.map((look) => {
    const step = decideQuotaThreshold({
      limit: 1_000,
      periodStartMs: JANUARY,
      thresholds: QUOTA_THRESHOLDS_DEFAULT,
      ...look,
      told,
    });
    told = step.told;
    return step.tell;
  });
}

describe("decideQuotaThreshold", () => {
  it("tells each threshold once as usage reaches it", () => {
    const looks = [0, 499, 500, 501, 750, 899.5, 900, 999, 1_000, 1_001].map((used) => ({ used }));
    expect(tell(looks)).toEqual([null, null, 50, null, 75, null, 90, null, 100, null]);
  });

  it("tells the highest alone of several that are passed at once", () => {
    expect(tell([{ used: 0 }, { used: 950 }, { used: 1_000 }])).toEqual([null, 90, 100]);
  });

  it("begins anew in a new period", () => {
    expect(
      tell([
        { used: 1_000 },
        { used: 10, periodStartMs: FEBRUARY },
        { used: 600, periodStartMs: FEBRUARY },
      ]),
    ).toEqual([100, null, 50]);
  });

  it("begins anew from where usage stands when the limit is raised", () => {
    expect(
      tell([
        { used: 900 },
        { used: 900, limit: 2_000 },
        { used: 999, limit: 2_000 },
        { used: 1_000, limit: 2_000 },
      ]),
    ).toEqual([90, null, null, 50]);
    const known = tell([{ used: 900 }, { used: 900, limit: 1_010 }, { used: 909, limit: 1_010 }]);
    expect(known).toEqual([90, null, 90]);
  });

  it("tells what is passed in the moment of a raise", () => {
    expect(tell([{ used: 900 }, { used: 1_010, limit: 1_010 }])).toEqual([90, 100]);
  });

  it("tells nothing twice when the limit is lowered and put back", () => {
    expect(tell([{ used: 600 }, { used: 600, limit: 900 }, { used: 680, limit: 900 }])).toEqual([
      50,
      null,
      75,
    ]);
  });

  it("tells nothing twice when the limit is raised and put back", () => {
    const looks = [1_000, 2_000, 1_000, 2_000, 0, 1_000].map((limit) => ({ used: 800, limit }));
    expect(tell([...looks, { used: 900 }])).toEqual([75, null, null, null, null, null, 90]);
    const more = [{ used: 800 }, { used: 1_000, limit: 2_000 }, { used: 1_000, limit: 2_000 }];
    expect(tell([...more, { used: 1_000, limit: 1_100 }])).toEqual([75, null, null, 90]);
  });

  it("tells nothing of a limit of 0 and without thresholds", () => {
    expect(tell([{ used: 5, limit: 0 }])).toEqual([null]);
    expect(tell([{ used: 5_000, thresholds: [] }])).toEqual([null]);
  });

  it("ignores a look at a period that is over", () => {
    expect(
      tell([
        { used: 600, periodStartMs: FEBRUARY },
        { used: 990 },
        { used: 600, periodStartMs: FEBRUARY },
      ]),
    ).toEqual([50, null, null]);
  });
});

describe("decideQuotaThreshold, whatever comes", () => {
  const thresholds = fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { maxLength: 6 });

  it("tells each threshold at most once in a period of one limit, and the last one told is the highest reached", () => {
    const growth = fc.array(fc.nat(400), { maxLength: 40 });
    fc.assert(
      fc.property(thresholds, growth, (chosen, steps) => {
        let used = 0;
        const looks = steps.map((step) => {
          used += step;
          return { used, thresholds: chosen };
        });
        const told = tell(looks).filter((one) => one !== null);
        expect(new Set(told).size).toBe(told.length);
        expect(told).toEqual([...told].sort((one, other) => one - other));
        expect(told.at(-1) ?? 0).toBe(reachedThreshold({ used, limit: 1_000, thresholds: chosen }));
      }),
    );
  });

  it("tells each threshold at most once of the same usage, whatever limits come", () => {
    const limits = fc.array(fc.nat(3_000), { maxLength: 40 });
    fc.assert(
      fc.property(thresholds, fc.nat(3_000), limits, (chosen, used, list) => {
        const looks = list.map((limit) => ({ used, limit, thresholds: chosen }));
        const told = tell(looks).filter((one) => one !== null);
        expect(told).toEqual([...new Set(told)].sort((one, other) => one - other));
      }),
    );
  });

  it("tells nothing that is not reached, whatever limits and periods come", () => {
    const look = fc.record({
      used: fc.nat(3_000),
      limit: fc.nat(2_000),
      periodStartMs: fc.constantFrom(JANUARY, FEBRUARY),
      thresholds,
    });
    fc.assert(
      fc.property(fc.array(look, { maxLength: 40 }), (looks) => {
        for (const [index, threshold] of tell(looks).entries()) {
          const { used = 0, limit = 0, thresholds: chosen = [] } = looks[index] ?? {};
          if (threshold !== null) {
            expect(chosen).toContain(threshold);
            expect(used * 100).toBeGreaterThanOrEqual(limit * threshold);
          }
        }
      }),
    );
  });
});
