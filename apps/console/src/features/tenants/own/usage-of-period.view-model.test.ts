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
const limits = (...quotas: ReturnType<typeof quota>[]) => ({ quotas, balances: [] });
const METERS = [
  { meterId: "requests", name: "Requests", unit: "request", aggregation: "count" as const },
  { meterId: "tokens", name: "Tokens", unit: "token", aggregation: "sum" as const },
];

describe("toPeriodUsage", () => {
  it("says what is used, what is left and until when", () => {
    expect(toPeriodUsage(limits(quota("1204", 5000)), METERS)).toEqual({
      meter: "Requests",
      text: "1,204 of 5,000",
      note: "3,796 left until Dec 1, UTC",
      bar: { share: 0.2408, tone: "accent" },
    });
  });

  it("warns when the quota is nearly or fully used; a quota of zero is fully used", () => {
    const barOf = (used: string, limit: number) =>
      toPeriodUsage(limits(quota(used, limit)), METERS).bar;
    expect(barOf("4000", 5000)?.tone).toBe("warning");
    expect(barOf("5000", 5000)?.tone).toBe("danger");
    expect(barOf("0", 0)).toMatchObject({ share: 1, tone: "danger" });
  });

  it("prefers calls to other meters and live to test, and names the unit", () => {
    const other = quota("7", 10, { meter: "tokens" });
    const test = quota("1", 10, { environment: "test" });
    expect(toPeriodUsage(limits(test, other, quota("2", 10)), METERS)).toMatchObject({
      meter: "Requests",
      text: "2 of 10",
    });
    expect(toPeriodUsage(limits(test, other), METERS)).toMatchObject({
      meter: "Tokens",
      text: "7 of 10",
    });
    expect(toPeriodUsage(limits(other), []).meter).toBe("tokens");
  });

  it("counts billable live calls when the plan has no quota", () => {
    const of = (environment: "live" | "test", used: string) => ({
      meter: "requests",
      environment,
      used,
    });
    const without = { quotas: [], balances: [of("test", "5"), of("live", "1204")] };
    expect(toPeriodUsage(without, METERS)).toEqual({
      meter: "Requests",
      text: "1,204",
      note: "This plan has no quota.",
      bar: undefined,
    });
    expect(toPeriodUsage(limits(), METERS).text).toBe("0");
  });
});
