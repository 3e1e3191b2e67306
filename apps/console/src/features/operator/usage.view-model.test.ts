import { describe, expect, it } from "vitest";
import { toQuotaView, toStatusRows } from "./usage.view-model.ts";

const QUOTA = {
  meter: "requests",
  environment: "live",
  kind: "hard",
  limit: 50_000,
  used: "1204",
  leased: "0",
  forfeited: "0",
  remaining: "48796",
  periodStart: "2026-11-01T00:00:00.000Z",
  resetAt: "2026-12-01T00:00:00.000Z",
} as const;

describe("toQuotaView", () => {
  it("says what is used of what, and when it starts again", () => {
    expect(toQuotaView(QUOTA)).toMatchObject({
      title: "Requests, live",
      usedLine: "1,204 of 50,000 used (2.4%)",
      resetLine: "resets Dec 1 UTC",
      tone: "accent",
      forfeitedLine: undefined,
    });
  });

  it.each([
    { used: "39999", tone: "accent" },
    { used: "40000", tone: "warning" },
    { used: "50000", tone: "danger" },
    { used: "61000", tone: "danger" },
  ])("draws $used of 50,000 as $tone", ({ used, tone }) => {
    expect(toQuotaView({ ...QUOTA, used }).tone).toBe(tone);
  });

  it("takes a limit of 0 for used up and divides by nothing", () => {
    expect(toQuotaView({ ...QUOTA, limit: 0, used: "0" })).toMatchObject({
      share: 1,
      tone: "danger",
    });
  });

  it("shows what a crash forfeited only when there is any", () => {
    expect(toQuotaView({ ...QUOTA, forfeited: "17" }).forfeitedLine).toContain("17 held back");
  });
});

describe("toStatusRows", () => {
  it("orders by calls and shows each status with its share of all calls", () => {
    const usage = {
      rows: [
        { group: "404", calls: 1, quantity: "0" },
        { group: "200", calls: 3, quantity: "3" },
        { group: "500", calls: 1, quantity: "0" },
      ],
      calls: 5,
      quantity: "3",
      truncated: false,
    };
    expect(toStatusRows(usage)).toEqual([
      { status: "200", tone: "ok", calls: "3", share: "60.0%" },
      { status: "404", tone: "warning", calls: "1", share: "20.0%" },
      { status: "500", tone: "danger", calls: "1", share: "20.0%" },
    ]);
  });

  it("is empty while there were no calls", () => {
    expect(toStatusRows({ rows: [], calls: 0, quantity: "0", truncated: false })).toEqual([]);
  });
});
