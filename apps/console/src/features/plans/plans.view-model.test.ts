import { describe, expect, it } from "vitest";
import { toContactHref, toQuotaFits } from "./plans.view-model.ts";

const METERS = [
  { meterId: "requests", name: "Requests", unit: "request", aggregation: "count" as const },
];

function limitsWith(used: string): Parameters<typeof toQuotaFits>[1] {
  const quota = {
    meter: "requests",
    kind: "hard" as const,
    limit: 50_000,
    leased: "0",
    forfeited: "0",
    remaining: "0",
    periodStart: "2026-11-01T00:00:00.000Z",
    resetAt: "2026-12-01T00:00:00.000Z",
  };
  return {
    planId: "free",
    planVersion: 1,
    rateLimits: [],
    quotas: [
      { ...quota, environment: "live", used },
      { ...quota, environment: "test", used: "999999999" },
    ],
  };
}

const fitOf = (limit: number, used: string) =>
  toQuotaFits(
    { quotas: [{ meter: "requests", limit, kind: "hard" }] },
    limitsWith(used),
    METERS,
  )[0];

describe("toQuotaFits", () => {
  it("counts live calls alone, and says how much of the quota they take", () => {
    expect(fitOf(50_000, "12500")).toMatchObject({
      share: 0.25,
      tone: "accent",
      text: "You have used 25.0% of this so far (12,500 requests)",
    });
  });

  it("warns when it is tight and says when it would not have fitted", () => {
    expect(fitOf(50_000, "40000")?.tone).toBe("warning");
    expect(fitOf(50_000, "50000")?.tone).toBe("warning");
    expect(fitOf(50_000, "50001")).toMatchObject({ share: 1, tone: "danger" });
    expect(fitOf(50_000, "50001")?.text).toContain("do not fit");
  });

  it("takes a quota of nothing for what it is", () => {
    expect(fitOf(0, "0")).toMatchObject({ share: 0, tone: "accent" });
    expect(fitOf(0, "1")).toMatchObject({ share: 1, tone: "danger" });
  });

  it("has no line for a plan without quotas", () => {
    expect(toQuotaFits({ quotas: [] }, limitsWith("1"), METERS)).toEqual([]);
  });
});

describe("toContactHref", () => {
  it.each([
    ["billing@acme.example", "mailto:billing@acme.example"],
    ["a?bcc=x&y@acme.example", "mailto:a%3Fbcc%3Dx%26y@acme.example"],
    ["https://acme.example/contact?plan=1", "https://acme.example/contact?plan=1"],
    ["javascript:alert(1)", undefined],
    ["javascript:a@b", "mailto:javascript%3Aa@b"],
    ["billing", undefined],
  ])("%s leads to %s", (contact, expected) => {
    expect(toContactHref(contact)).toBe(expected);
  });
});
