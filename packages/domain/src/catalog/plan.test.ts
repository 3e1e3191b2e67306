import { catalogInput } from "@turnpike/contract/catalog";
import { describe, expect, it } from "vitest";
import { REQUESTS_METER, SAMPLE_CATALOG } from "./plan.ts";

describe("SAMPLE_CATALOG", () => {
  it("satisfies the contract, with no default left to fill in", () => {
    const parsed = catalogInput.parse(structuredClone(SAMPLE_CATALOG));
    expect(parsed).toEqual(SAMPLE_CATALOG);
  });

  it("has a free plan of 50,000 requests a month, which new tenants get", () => {
    const free = SAMPLE_CATALOG.plans.find((plan) => plan.planId === SAMPLE_CATALOG.defaultPlanId);
    expect(free).toMatchObject({
      pricePerMonth: "0",
      quotas: [{ meter: REQUESTS_METER, limit: 50_000, kind: "hard" }],
    });
  });

  it("limits only meters that it defines", () => {
    const meters = SAMPLE_CATALOG.meters.map((meter) => meter.meterId);
    for (const quota of SAMPLE_CATALOG.plans.flatMap((plan) => plan.quotas)) {
      expect(meters).toContain(quota.meter);
    }
  });
});
