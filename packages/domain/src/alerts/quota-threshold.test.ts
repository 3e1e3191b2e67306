import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decideQuotaThreshold,
  type NotifiedThreshold,
  QUOTA_THRESHOLDS_DEFAULT,
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

/** The notices, evaluation by evaluation. */
function notify(looks: readonly Look[]): (number | null)[] {
  let notified: NotifiedThreshold | null = null;
  return looks.map((look) => {
    const step = decideQuotaThreshold({
      limit: 1_000,
      periodStartMs: JANUARY,
      thresholds: QUOTA_THRESHOLDS_DEFAULT,
      ...look,
      notified,
    });
    notified = step.notified;
    return step.notify;
  });
}

describe("decideQuotaThreshold", () => {
  it("notifies of each threshold once as usage reaches it", () => {
    const looks = [0, 499, 500, 501, 750, 899.5, 900, 999, 1_000, 1_001].map((used) => ({ used }));
    expect(notify(looks)).toEqual([null, null, 50, null, 75, null, 90, null, 100, null]);
  });

  it("notifies only of the highest of several thresholds passed at once", () => {
    expect(notify([{ used: 0 }, { used: 950 }, { used: 1_000 }])).toEqual([null, 90, 100]);
  });

  it("starts over in a new period", () => {
    expect(
      notify([
        { used: 1_000 },
        { used: 10, periodStartMs: FEBRUARY },
        { used: 600, periodStartMs: FEBRUARY },
      ]),
    ).toEqual([100, null, 50]);
  });

  it("starts over from the current usage when the limit is raised", () => {
    expect(
      notify([
        { used: 900 },
        { used: 900, limit: 2_000 },
        { used: 999, limit: 2_000 },
        { used: 1_000, limit: 2_000 },
      ]),
    ).toEqual([90, null, null, 50]);
    const known = notify([{ used: 900 }, { used: 900, limit: 1_010 }, { used: 909, limit: 1_010 }]);
    expect(known).toEqual([90, null, 90]);
  });

  it("notifies of a threshold passed at the moment of a raise", () => {
    expect(notify([{ used: 900 }, { used: 1_010, limit: 1_010 }])).toEqual([90, 100]);
  });

  it("sends no second notice when the limit is lowered and put back", () => {
    expect(notify([{ used: 600 }, { used: 600, limit: 900 }, { used: 680, limit: 900 }])).toEqual([
      50,
      null,
      75,
    ]);
  });

  it("sends no second notice when the limit is raised and put back", () => {
    const looks = [1_000, 2_000, 1_000, 2_000, 0, 1_000].map((limit) => ({ used: 800, limit }));
    expect(notify([...looks, { used: 900 }])).toEqual([75, null, null, null, null, null, 90]);
    const more = [{ used: 800 }, { used: 1_000, limit: 2_000 }, { used: 1_000, limit: 2_000 }];
    expect(notify([...more, { used: 1_000, limit: 1_100 }])).toEqual([75, null, null, 90]);
  });

  it("sends nothing for a limit of 0 or without thresholds", () => {
    expect(notify([{ used: 5, limit: 0 }])).toEqual([null]);
    expect(notify([{ used: 5_000, thresholds: [] }])).toEqual([null]);
  });

  it("ignores an evaluation of a period that is over", () => {
    expect(
      notify([
        { used: 600, periodStartMs: FEBRUARY },
        { used: 990 },
        { used: 600, periodStartMs: FEBRUARY },
      ]),
    ).toEqual([50, null, null]);
  });
});

describe("decideQuotaThreshold, for any sequence", () => {
  const thresholds = fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { maxLength: 6 });

  it("notifies of each threshold at most once in a period with one limit, and last of the highest reached", () => {
    const growth = fc.array(fc.nat(400), { maxLength: 40 });
    fc.assert(
      fc.property(thresholds, growth, (chosen, steps) => {
        let used = 0;
        const looks = steps.map((step) => {
          used += step;
          return { used, thresholds: chosen };
        });
        const notified = notify(looks).filter((one) => one !== null);
        expect(new Set(notified).size).toBe(notified.length);
        expect(notified).toEqual([...notified].sort((one, other) => one - other));
        expect(notified.at(-1) ?? 0).toBe(
          reachedThreshold({ used, limit: 1_000, thresholds: chosen }),
        );
      }),
    );
  });

  it("notifies of each threshold at most once for the same usage, under any limits that come", () => {
    const limits = fc.array(fc.nat(3_000), { maxLength: 40 });
    fc.assert(
      fc.property(thresholds, fc.nat(3_000), limits, (chosen, used, list) => {
        const looks = list.map((limit) => ({ used, limit, thresholds: chosen }));
        const notified = notify(looks).filter((one) => one !== null);
        expect(notified).toEqual([...new Set(notified)].sort((one, other) => one - other));
      }),
    );
  });

  it("notifies only of thresholds that are reached, under any limits and in any periods", () => {
    const look = fc.record({
      used: fc.nat(3_000),
      limit: fc.nat(2_000),
      periodStartMs: fc.constantFrom(JANUARY, FEBRUARY),
      thresholds,
    });
    fc.assert(
      fc.property(fc.array(look, { maxLength: 40 }), (looks) => {
        for (const [index, threshold] of notify(looks).entries()) {
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
