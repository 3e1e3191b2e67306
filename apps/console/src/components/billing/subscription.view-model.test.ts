import { describe, expect, it } from "vitest";
import { isSubscribed, toComing, toStateBadges } from "./subscription.view-model.ts";

const AT = "2026-12-01T00:00:00.000Z";
const NOTHING = { change: null, endsAt: null, pausesAt: null };
const comingOf = (more: Partial<Parameters<typeof toComing>[0]>) =>
  toComing({ life: "active", trialEndsAt: null, pending: NOTHING, periodTo: AT, ...more });

describe("toStateBadges", () => {
  it("shows life and standing as two states, and a standing in order not at all", () => {
    const labels = (...input: Parameters<typeof toStateBadges>) =>
      toStateBadges(...input).map(({ label }) => label);
    expect(labels({ life: "active", standing: "current" })).toEqual(["Active"]);
    expect(labels({ life: "trialing", standing: "capped" })).toEqual([
      "Trial",
      "Spend cap reached",
    ]);
  });
});

describe("toComing", () => {
  it("says when the period renews", () => {
    expect(comingOf({})).toEqual(["Renews on Dec 1, 2026."]);
  });

  it("says no renewal of what ends or pauses", () => {
    expect(comingOf({ pending: { ...NOTHING, endsAt: AT } })).toEqual([
      "Ends on Dec 1, 2026 and does not renew.",
    ]);
    expect(comingOf({ pending: { ...NOTHING, pausesAt: AT } })).toEqual(["Pauses on Dec 1, 2026."]);
  });

  it("names the plan that comes next, and the end of a trial", () => {
    const change = { planId: "pro", planVersion: 2, planName: "Pro", at: AT };
    expect(
      comingOf({ life: "trialing", trialEndsAt: AT, pending: { ...NOTHING, change } }),
    ).toEqual(["The trial ends on Dec 1, 2026.", "Changes to Pro on Dec 1, 2026."]);
  });
});

describe("isSubscribed", () => {
  it("is false before the first subscription and after its end", () => {
    const lives = ["none", "ended", "scheduled", "trialing", "active", "paused"] as const;
    expect(lives.filter((life) => isSubscribed({ life }))).toEqual([
      "scheduled",
      "trialing",
      "active",
      "paused",
    ]);
  });
});
