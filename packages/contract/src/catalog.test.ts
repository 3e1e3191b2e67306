import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { describe, expect, it } from "vitest";
import { catalogInput } from "./catalog.ts";

type Input = {
  meters: unknown[];
  plans: { planId: string; quotas: unknown[]; rateLimits: unknown[] }[];
  defaultPlanId: string;
};

/** A valid catalogue for a test to break. */
function sample(): Input {
  const { meters, plans, defaultPlanId } = structuredClone(SAMPLE_CATALOG);
  return {
    meters: [...meters],
    plans: plans.map((plan) => ({
      ...plan,
      quotas: [...plan.quotas],
      rateLimits: [...plan.rateLimits],
    })),
    defaultPlanId,
  };
}

function pointersOf(change: (input: Input) => void): string[] {
  const input = sample();
  change(input);
  const parsed = catalogInput.safeParse(input);
  return (parsed.error?.issues ?? []).map((issue) => issue.path.join("/"));
}

describe("catalogInput", () => {
  it.each<[string, (input: Input) => void, string]>([
    ["a plan twice", (input) => input.plans.push(input.plans[0]!), "plans/3/planId"],
    ["a meter twice", (input) => input.meters.push(input.meters[0]!), "meters/1/meterId"],
    [
      "two quotas of one meter in a plan",
      (input) => input.plans[1]!.quotas.push(input.plans[1]!.quotas[0]!),
      "plans/1/quotas/1/meter",
    ],
    [
      "two rate limits of one name in a plan, which would share a bucket",
      (input) => input.plans[0]!.rateLimits.push(input.plans[0]!.rateLimits[0]!),
      "plans/0/rateLimits/1/name",
    ],
    [
      "a default that is no plan",
      (input) => Object.assign(input, { defaultPlanId: "x" }),
      "defaultPlanId",
    ],
  ])("refuses %s, pointing at it", (_what, change, pointer) => {
    expect(pointersOf(change)).toEqual([pointer]);
  });

  it("refuses a catalogue without plans, since every tenant needs one", () => {
    expect(
      pointersOf((input) => Object.assign(input, { plans: [], defaultPlanId: undefined })),
    ).toEqual(["plans"]);
  });

  it.each(["1e3", "-1", "01.", ".5", "1,5", "", " 1", "1.1234567890123", "٣"])(
    "refuses the price %j",
    (pricePerMonth) => {
      expect(pointersOf((input) => Object.assign(input.plans[0]!, { pricePerMonth }))).toEqual([
        "plans/0/pricePerMonth",
      ]);
    },
  );
});
