import { describe, expect, it } from "vitest";
import { makeSubscription } from "../billing-answers.fixture.ts";
import { makePlan } from "../plan.fixture.ts";
import { listSubscriptionActions, toOfferAction } from "./subscription-actions.view-model.ts";

const AT = "2026-12-01T00:00:00.000Z";
const NOTHING = { change: null, endsAt: null, pausesAt: null };
const labelsOf = (more: object) =>
  listSubscriptionActions(makeSubscription(more), [
    makePlan({ planId: "scale", name: "SCALE" }),
  ]).map(({ label }) => label);

describe("listSubscriptionActions", () => {
  it("offers what an active subscription can have changed", () => {
    expect(
      labelsOf({
        seats: [{ card: "seats", name: "Seats", quantity: "3" }],
        addOns: [{ planId: "support", planVersion: 1, name: "Support", since: AT }],
      }),
    ).toEqual(["Change Seats", "Remove Support", "Redeem coupon", "Pause plan", "Cancel plan"]);
  });

  it("undoes what is pending", () => {
    expect(labelsOf({ pending: { ...NOTHING, endsAt: AT } })).toEqual([
      "Undo cancellation",
      "Redeem coupon",
    ]);
    const change = { planId: "scale", planVersion: 1, planName: "Scale", at: AT };
    expect(labelsOf({ pending: { ...NOTHING, change } })[0]).toBe(
      "Keep Pro, do not change to Scale",
    );
    expect(labelsOf({ pending: { ...NOTHING, pausesAt: AT } })).toEqual([
      "Undo pause",
      "Redeem coupon",
      "Cancel plan",
    ]);
  });

  it("resumes or cancels what is paused, cancels what has not begun, and has nothing without a subscription", () => {
    expect(labelsOf({ life: "paused" })).toEqual(["Resume plan", "Cancel plan"]);
    expect(labelsOf({ life: "scheduled" })).toEqual(["Cancel start"]);
    expect(labelsOf({ life: "none" })).toEqual([]);
    expect(labelsOf({ life: "ended" })).toEqual([]);
  });
});

describe("toOfferAction", () => {
  const FEE = {
    key: "base",
    price: { model: "flat", amount: "5" },
    interval: { month: 1 },
    timing: "advance",
  } as const;
  const phases = [{ rateCards: [FEE] }];
  const SCALE = makePlan({ planId: "scale", name: "Scale", isAddOn: false, phases });
  const SUPPORT = makePlan({ planId: "support", name: "Support", isAddOn: true, phases });
  const labelOf = (plan: typeof SCALE, more: object = {}) =>
    toOfferAction(plan, makeSubscription(more))?.label;

  it("chooses the first plan and changes to another one", () => {
    expect(labelOf(SCALE, { life: "none" })).toBe("Choose Scale");
    expect(labelOf(SCALE, { life: "ended" })).toBe("Choose Scale");
    expect(labelOf(SCALE)).toBe("Change to Scale");
  });

  it("does not choose the free plan that is in force without a subscription", () => {
    const free = makePlan({ planId: "free", name: "Free", phases: [{ rateCards: [] }] });
    expect(labelOf(free, { life: "none", planId: "free" })).toBe(undefined);
    expect(labelOf(free, { life: "none", planId: "scale" })).toBe("Choose Free");
    expect(labelOf(SCALE, { life: "none", planId: "scale" })).toBe("Choose Scale");
  });

  it("offers neither the plan in force, nor the one that comes next, nor any while paused", () => {
    expect(labelOf(makePlan({ planId: "pro", name: "Pro", phases }))).toBe(undefined);
    expect(labelOf(SCALE, { life: "scheduled" })).toBe(undefined);
    const change = { planId: "scale", planVersion: 1, planName: "Scale", at: AT };
    expect(labelOf(SCALE, { pending: { ...NOTHING, change } })).toBe(undefined);
    expect(labelOf(SCALE, { life: "paused" })).toBe(undefined);
    expect(toOfferAction(SCALE, undefined)).toBe(undefined);
  });

  it("adds an add-on once, and only beside a plan", () => {
    expect(labelOf(SUPPORT)).toBe("Add Support");
    expect(labelOf(SUPPORT, { life: "none" })).toBe(undefined);
    const addOns = [{ planId: "support", planVersion: 1, name: "Support", since: AT }];
    expect(labelOf(SUPPORT, { addOns })).toBe(undefined);
  });
});
