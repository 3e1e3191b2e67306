import { describe, expect, it } from "vitest";
import { toPeriodUsage } from "./usage-of-period.view-model.ts";

const quota = (used: string, limit: number, more: object = {}) => ({
  meter: "requests",
  environment: "live" as const,
  kind: "hard" as const,
  limit,
  used,
  leased: "0",
  locked: "0",
  forfeited: "0",
  remaining: String(Math.max(0, limit - Number(used))),
  periodStart: "2026-11-01T00:00:00.000Z",
  resetAt: "2026-12-01T00:00:00.000Z",
  ...more,
});
const limits = (...quotas: ReturnType<typeof quota>[]) => ({
  planId: "free",
  planVersion: 1,
  rateLimits: [],
  quotas,
});

describe("toPeriodUsage", () => {
  it("says what is used, what is left and until when", () => {
    expect(toPeriodUsage(limits(quota("1204", 5000)))).toEqual({
      text: "1,204 of 5,000",
      note: "3,796 left until Dec 1, UTC",
      share: 0.2408,
      tone: "accent",
    });
  });

  it("warns when it is tight and when it is used up; a quota of nothing is used up", () => {
    expect(toPeriodUsage(limits(quota("4000", 5000)))?.tone).toBe("warning");
    expect(toPeriodUsage(limits(quota("5000", 5000)))?.tone).toBe("danger");
    expect(toPeriodUsage(limits(quota("0", 0)))).toMatchObject({ share: 1, tone: "danger" });
  });

  it("prefers calls to other meters and live to test, and says nothing without a quota", () => {
    const other = quota("7", 10, { meter: "tokens" });
    const test = quota("1", 10, { environment: "test" });
    expect(toPeriodUsage(limits(test, other, quota("2", 10)))?.text).toBe("2 of 10");
    expect(toPeriodUsage(limits(test, other))?.text).toBe("7 of 10");
    expect(toPeriodUsage(limits(test))).toBeUndefined();
  });
});
