import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toVirtualWindow } from "./virtual-rows.view-model.ts";

describe("toVirtualWindow", () => {
  it("draws the visible rows plus a few around them, and never more", () => {
    fc.assert(
      fc.property(
        fc.nat(5_000),
        fc.constantFrom(36, 60),
        fc.integer({ min: -500, max: 400_000 }),
        fc.nat(2_000),
        (count, rowPx, scrollTopPx, viewportPx) => {
          const { from, to, heightPx } = toVirtualWindow({ count, rowPx, scrollTopPx, viewportPx });
          expect(heightPx).toBe(count * rowPx);
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThanOrEqual(count);
          expect(to - from).toBeLessThanOrEqual(Math.ceil(viewportPx / rowPx) + 1 + 2 * 8);
          const topPx = Math.min(Math.max(0, scrollTopPx), Math.max(0, heightPx - viewportPx));
          expect(from * rowPx).toBeLessThanOrEqual(topPx);
          expect(to * rowPx).toBeGreaterThanOrEqual(Math.min(heightPx, topPx + viewportPx));
        },
      ),
    );
  });
});
