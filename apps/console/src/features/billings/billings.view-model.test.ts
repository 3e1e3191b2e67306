import { describe, expect, it } from "vitest";
import { formatPeriod, toPeriod } from "./billings.view-model.ts";

const METERS = [
  { meterId: "requests", name: "Requests", unit: "request", aggregation: "count" as const },
];

function limitsWith(quotas: Parameters<typeof toPeriod>[0]["quotas"]) {
  return { quotas };
}

const QUOTA = {
  meter: "requests",
  environment: "live" as const,
  kind: "hard" as const,
  limit: 50_000,
  used: "12500",
  leased: "20",
  locked: "0",
  forfeited: "0",
  remaining: "37500",
  periodStart: "2026-11-01T00:00:00.000Z",
  resetAt: "2026-12-01T00:00:00.000Z",
};

describe("toPeriod", () => {
  it("shows what the keys of one environment used of each quota", () => {
    const period = toPeriod(
      limitsWith([QUOTA, { ...QUOTA, environment: "test", used: "7" }]),
      METERS,
      "live",
    );
    expect(period?.lines).toEqual([
      {
        meterId: "requests",
        name: "Requests",
        quantity: "12,500 of 50,000 requests",
        share: 0.25,
        tone: "accent",
        beyond: "Calls over the quota are denied.",
        forfeited: undefined,
      },
    ]);
  });

  it("keeps every digit of what was used, and draws no more than the whole", () => {
    const used = "90071992547409930";
    const line = toPeriod(limitsWith([{ ...QUOTA, kind: "soft", used }]), METERS, "live")?.lines[0];
    expect(line?.quantity).toBe("90,071,992,547,409,930 of 50,000 requests");
    expect(line).toMatchObject({ share: 1, tone: "danger", beyond: "Overage is allowed." });
  });

  it("says what a crash holds back, and that it costs nothing", () => {
    const line = toPeriod(limitsWith([{ ...QUOTA, forfeited: "20" }]), METERS, "live")?.lines[0];
    expect(line?.forfeited).toContain("20 requests are reserved");
    expect(line?.forfeited).toContain("not charged");
  });

  it("has no period for a plan without quotas", () => {
    expect(toPeriod(limitsWith([]), METERS, "live")).toBeUndefined();
  });
});

describe("formatPeriod", () => {
  it("names the last day that is in the period, in UTC", () => {
    expect(formatPeriod({ from: QUOTA.periodStart, to: QUOTA.resetAt })).toMatch(
      /^November 1\s–\s30, 2026$/,
    );
  });
});
