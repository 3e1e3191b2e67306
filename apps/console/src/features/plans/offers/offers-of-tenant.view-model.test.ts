import { describe, expect, it } from "vitest";
import { makeSubscription } from "#components/billing/billing-answers.fixture.ts";
import { makePlan } from "#components/billing/plan.fixture.ts";
import { sortOffers, toOfferNote } from "./offers-of-tenant.view-model.ts";

const AT = "2026-12-01T00:00:00.000Z";

describe("sortOffers", () => {
  it("offers neither archived nor private plans, but shows the tenant's own", () => {
    const plans = [
      makePlan({ planId: "old", archivedAt: AT }),
      makePlan({ planId: "secret", visibility: "private" }),
      makePlan({ planId: "mine", visibility: "private", archivedAt: AT }),
      makePlan({ planId: "support", isAddOn: true }),
      makePlan({ planId: "free", pricePerMonth: "0" }),
    ];
    const { plans: shown, addOns } = sortOffers(plans, "mine");
    expect(shown.map(({ planId }) => planId)).toEqual(["free", "mine"]);
    expect(addOns.map(({ planId }) => planId)).toEqual(["support"]);
  });
});

describe("toOfferNote", () => {
  const plan = makePlan({ version: 2 });
  const facts = {
    subscription: undefined,
    limits: { planId: "pro", planVersion: 1 },
    price: "$5 a month",
    owner: undefined,
  };

  it("says that the tenant keeps an earlier version, and at which price", () => {
    expect(toOfferNote(plan, facts)).toBe(
      "You keep the version you started on, at $5 a month; this is the newest one.",
    );
    expect(toOfferNote(plan, { ...facts, owner: "Acme" })).toContain("Acme keeps the version it");
    expect(toOfferNote(plan, { ...facts, limits: { planId: "pro", planVersion: 2 } })).toBe(
      undefined,
    );
  });

  it("says when a plan begins that was chosen for the end of the period, or for a day", () => {
    const change = { planId: "pro", planVersion: 2, planName: "Pro", at: AT };
    const subscription = makeSubscription({
      ...{ planId: "free", pending: { change, endsAt: null, pausesAt: null } },
    });
    expect(toOfferNote(plan, { ...facts, subscription })).toBe("Begins on Dec 1, 2026.");
    const scheduled = makeSubscription({ life: "scheduled", planId: "pro", startedAt: AT });
    expect(toOfferNote(plan, { ...facts, subscription: scheduled })).toBe("Begins on Dec 1, 2026.");
    const other = { ...facts, limits: undefined, subscription: scheduled };
    expect(toOfferNote(makePlan({ planId: "scale" }), other)).toBe(undefined);
  });
});
