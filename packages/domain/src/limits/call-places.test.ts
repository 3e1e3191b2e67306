import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findFullPlaces, placesAlone, shareOfLimit } from "./call-places.ts";

describe("places for calls at once", () => {
  it("are given while the limit, the process's own part and the sender's share allow it", () => {
    const one = { limit: 3, held: 2, own: 1 };
    expect(findFullPlaces([one], 1)).toBeUndefined();
    expect(findFullPlaces([one], 2)).toBe(0);
    expect(findFullPlaces([{ ...one, held: 3 }], 0)).toBeUndefined();
    expect(findFullPlaces([{ ...one, ownMax: 1 }], 1)).toBe(0);
    const whole = { limit: 8, held: 4, own: 0 };
    const sender = { limit: 8, own: 0, sharePercent: 50 };
    expect(findFullPlaces([whole, { ...sender, held: 1 }], 1)).toBeUndefined();
    expect(findFullPlaces([whole, { ...sender, held: 3 }], 1)).toBe(1);
  });

  it("are shared out to the last one", () => {
    for (const limit of [1, 2, 7, 100]) {
      for (const count of [1, 2, 3, 8]) {
        const shares = Array.from({ length: count }, (_, place) =>
          shareOfLimit(limit, { place, count }),
        );
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit);
      }
    }
  });

  it("are never more than the limit in total while no process can ask, also where one held more than its share", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.nat(50), { minLength: 1, maxLength: 6 }),
        (limit, wishes) => {
          const count = wishes.length;
          let free = limit;
          const held = wishes.map((wish) => {
            const own = Math.min(wish, free);
            free -= own;
            return own;
          });
          const all = limit - free;
          const isBeyond = held.some((own) => own > Math.floor(limit / count));
          const most = held.map((own, place) =>
            placesAlone({ limit, place, count, known: isBeyond ? { own, all } : undefined }),
          );
          expect(most.reduce((sum, own) => sum + own, 0)).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });
});
