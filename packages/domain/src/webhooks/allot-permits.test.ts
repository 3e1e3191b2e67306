import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allotPermits } from "./allot-permits.ts";

const sum = (counts: ReadonlyMap<string, number>) =>
  [...counts.values()].reduce((total, count) => total + count, 0);
const counts = (max: number) =>
  fc
    .array(fc.nat(max), { maxLength: 12 })
    .map((each) => new Map(each.map((count, index) => [`owner ${String(index)}`, count])));

describe("permits of a pool", () => {
  it("go half to one owner, and of what is left half to the next", () => {
    const permits = 32;
    const waiting = new Map([
      ["a", 100],
      ["b", 100],
    ]);
    const held = allotPermits({ permits, held: new Map(), waiting: new Map([["a", 100]]) });
    expect(held).toEqual(new Map([["a", 16]]));
    expect(allotPermits({ permits, held, waiting })).toEqual(new Map([["b", 8]]));
  });

  it("are never more than there are, nor more than an owner can use", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 64 }),
        counts(8),
        counts(40),
        (extra, held, waiting) => {
          const permits = sum(held) + extra;
          const allotted = allotPermits({ permits, held, waiting });
          expect(sum(allotted)).toBeLessThanOrEqual(extra);
          for (const [owner, count] of allotted) {
            expect(count).toBeGreaterThan(0);
            expect(count).toBeLessThanOrEqual(waiting.get(owner) ?? 0);
          }
        },
      ),
    );
  });

  it("are found by a newcomer as long as one is free, however much the others have waiting", () => {
    fc.assert(
      fc.property(
        counts(8),
        counts(1_000),
        fc.integer({ min: 1, max: 8 }),
        (held, waiting, free) => {
          const permits = sum(held) + free;
          const all = new Map([...waiting, ["newcomer", 1]]);
          const others = [...all.keys()].filter((owner) => (held.get(owner) ?? 0) === 0).length;
          const allotted = allotPermits({ permits, held, waiting: all });
          // Others that hold none are newcomers, too.
          expect((allotted.get("newcomer") ?? 0) === 1 || others > free).toBe(true);
        },
      ),
    );
  });

  it("stay free for a newcomer while at most thirty owners flood a pool of 32, in any order in which permits come back", () => {
    const permits = 32;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.nat(29), { maxLength: 200 }),
        (floods, finished) => {
          const held = new Map<string, number>();
          const waiting = new Map(
            Array.from({ length: floods }, (_, index) => [`flood ${String(index)}`, 1_000]),
          );
          const take = () => {
            for (const [owner, count] of allotPermits({ permits, held, waiting })) {
              held.set(owner, (held.get(owner) ?? 0) + count);
            }
          };
          take();
          for (const index of finished) {
            const owner = `flood ${String(index % floods)}`;
            held.set(owner, Math.max(0, (held.get(owner) ?? 0) - 1));
            take();
          }
          const demand = { permits, held, waiting: new Map([...waiting, ["newcomer", 1]]) };
          expect(allotPermits(demand).get("newcomer")).toBe(1);
        },
      ),
    );
  });
});
