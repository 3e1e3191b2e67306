import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeShare } from "./fair-share.ts";

const WHOLE = 1_000;

describe("fair shares of what is bounded", () => {
  it("is never more than the whole, and leaves as much for newcomers as any sender got beyond its first request", () => {
    const step = fc.record({
      sender: fc.integer({ min: 0, max: 4 }),
      asked: fc.integer({ min: 1, max: 200 }),
      isEnd: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const inHand = new Map<number, number[]>();
        const sum = (list: readonly number[] = []) => list.reduce((total, one) => total + one, 0);
        const total = () => sum([...inHand.values()].flat());
        for (const { sender, asked, isEnd } of steps) {
          const own = inHand.get(sender) ?? [];
          if (isEnd && own.length > 0) {
            inHand.set(sender, own.slice(1));
            continue;
          }
          const view = { whole: WHOLE, taken: total(), own: sum(own), asked };
          const verdict = judgeShare(view);
          if (verdict === "fits") {
            inHand.set(sender, [...own, asked]);
            expect(total()).toBeLessThanOrEqual(WHOLE);
            if (own.length > 0) {
              expect(WHOLE - total()).toBeGreaterThanOrEqual(sum(inHand.get(sender)));
            }
          } else if (verdict === "full") {
            expect(own).toEqual([]);
          } else {
            expect(own.length).toBeGreaterThan(0);
          }
        }
      }),
    );
  });

  it.each([
    { senders: 1, sharePercent: undefined, share: 500 },
    { senders: 2, sharePercent: undefined, share: 333 },
    { senders: 3, sharePercent: 50, share: 250 },
    { senders: 9, sharePercent: 50, share: 100 },
    { senders: 1, sharePercent: 80, share: 800 },
    { senders: 2, sharePercent: 80, share: 444 },
    { senders: 1, sharePercent: 10, share: 100 },
    { senders: 1, sharePercent: 100, share: 1_000 },
  ])(
    "with $senders that flood at $sharePercent percent, gives each $share of a thousand",
    (flood) => {
      const { senders, sharePercent, share } = flood;
      const inHand = Array.from({ length: senders }, () => 0);
      for (let round = 0; round < WHOLE; round += 1) {
        for (const [sender, own] of inHand.entries()) {
          const taken = inHand.reduce((sum, one) => sum + one, 0);
          if (judgeShare({ whole: WHOLE, taken, own, asked: 1, sharePercent }) === "fits") {
            inHand[sender] = own + 1;
          }
        }
      }
      const taken = inHand.reduce((sum, one) => sum + one, 0);
      for (const own of inHand) {
        expect(Math.abs(own - share)).toBeLessThanOrEqual(1);
      }
      const newcomer = judgeShare({ whole: WHOLE, taken, own: 0, asked: 1, sharePercent });
      expect(newcomer).toBe(sharePercent === 100 ? "full" : "fits");
    },
  );
});
