import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseCause } from "./choose-cause.ts";
import { explainRate } from "./explain-rate.ts";
import { explainSum } from "./explain-sum.ts";

const count = fc.integer({ min: 0, max: 1e9 });

describe("explainSum", () => {
  it("splits any change into parts that add up to it exactly, the heaviest first", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(count, count), { maxLength: 30 }), (pairs) => {
        const parts = pairs.map(([before, after], index) => ({ name: `k${index}`, before, after }));
        const explained = explainSum(parts);
        const sum = explained.parts.reduce((total, { change }) => total + change, 0);
        expect(sum).toBe(explained.change);
        expect(explained.before + explained.change).toBe(explained.after);
        const shares = explained.parts.map(({ share }) => share);
        expect(shares).toEqual([...shares].sort((one, other) => other - one));
        const whole = shares.reduce((total, share) => total + share, 0);
        expect(explained.change === 0 ? whole === 0 : Math.abs(whole - 1) < 1e-6).toBe(true);
      }),
    );
  });

  it("shows a part that moved against the change as negative", () => {
    const { parts } = explainSum([
      { name: "fell", before: 100, after: 50 },
      { name: "rose", before: 100, after: 250 },
    ]);
    expect(parts.map(({ name, change, share }) => [name, change, share])).toEqual([
      ["rose", 150, 1.5],
      ["fell", -50, -0.5],
    ]);
  });
});

describe("explainRate", () => {
  it("splits any change into parts, and into rates and weights, that add up to it", () => {
    const rate = fc
      .tuple(fc.integer({ min: 0, max: 1000 }), fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([of, share]) => ({ of, hits: Math.floor(of * share) }));
    fc.assert(
      fc.property(fc.array(fc.tuple(rate, rate), { maxLength: 20 }), (pairs) => {
        const parts = pairs.map(([before, after], index) => ({ name: `r${index}`, before, after }));
        const { change, within, mix, ...explained } = explainRate(parts);
        expect(explained.parts.reduce((sum, part) => sum + part.change, 0)).toBeCloseTo(change, 9);
        expect(within + mix).toBeCloseTo(change, 9);
      }),
    );
  });

  it("sees through Simpson's paradox: every rate falls, the whole rises, and the weights explain it", () => {
    const { change, within, mix, parts } = explainRate([
      { name: "safe", before: { hits: 9, of: 900 }, after: { hits: 0, of: 100 } },
      { name: "risky", before: { hits: 50, of: 100 }, after: { hits: 405, of: 900 } },
    ]);
    expect(change).toBeGreaterThan(0);
    expect(within).toBeLessThan(0);
    expect(mix).toBeGreaterThan(change);
    expect(parts.every((part) => part.within < 0)).toBe(true);
  });

  it("blames a part that is new for what its weight does", () => {
    const { parts } = explainRate([
      { name: "old", before: { hits: 1, of: 100 }, after: { hits: 1, of: 100 } },
      { name: "new", before: { hits: 0, of: 0 }, after: { hits: 50, of: 100 } },
    ]);
    expect(parts[0]).toMatchObject({ name: "new", within: 0 });
    expect(parts[0]?.share).toBeGreaterThan(0.5);
  });
});

describe("chooseCause", () => {
  const everyone = { name: "everyone", share: 1, weight: 1 };
  it("chooses the part that weighs more in the change than in the whole", () => {
    const suspects = [
      { dimension: "key" as const, parts: [{ name: "a", share: 0.95, weight: 0.1 }] },
      { dimension: "route" as const, parts: [{ name: "/x", share: 0.9, weight: 0.6 }] },
      { dimension: "method" as const, parts: [everyone] },
    ];
    expect(chooseCause(suspects)).toMatchObject({ dimension: "key", name: "a" });
  });

  it("names nothing when the change is everywhere", () => {
    const even = [1, 2, 3, 4].map((part) => ({ name: `k${part}`, share: 0.25, weight: 0.25 }));
    expect(chooseCause([{ dimension: "key", parts: even }])).toBeUndefined();
    expect(chooseCause([{ dimension: "key", parts: [everyone] }])).toBeUndefined();
    expect(chooseCause([])).toBeUndefined();
  });
});
