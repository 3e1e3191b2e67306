import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeLeaving } from "./tenant-outlook.ts";

describe("a tenant that is likely to leave", () => {
  it("uses less than half of its least week, or less than three quarters when it does not pay", () => {
    expect(judgeLeaving([900, 2000, 1000, 3000, 449], [])).toEqual({
      ...{ calls: 449, least: 900, troubles: [] },
      confidence: 1 - 449 / 1800,
    });
    expect(judgeLeaving([900, 2000, 1000, 3000, 450], [])).toBeUndefined();
    expect(judgeLeaving([900, 2000, 1000, 3000, 600], ["payment_failed"])).toMatchObject({
      troubles: ["payment_failed"],
    });
    expect(judgeLeaving([900, 2000, 1000, 3000, 700], ["payment_failed"])).toBeUndefined();
  });

  it("is not one that is new, small or varies that much", () => {
    expect(judgeLeaving([2000, 1000, 3000, 0], [])).toBeUndefined();
    expect(judgeLeaving([400, 2000, 1000, 3000, 0], [])).toBeUndefined();
    fc.assert(
      fc.property(
        fc.array(fc.nat(10_000), { minLength: 5, maxLength: 9 }),
        fc.subarray(["payment_failed", "invoice_overdue"] as const),
        (weeks, troubles) => {
          const found = judgeLeaving(weeks, troubles);
          const last = weeks.at(-1) ?? 0;
          if (found !== undefined) {
            expect(weeks.slice(-5, -1).every((each) => last < each)).toBe(true);
            expect(found.confidence).toBeGreaterThan(0.5);
            expect(found.confidence).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
  });
});
