import { describe, expect, it } from "vitest";
import { makeSpendCap } from "./spend-cap.fixture.ts";
import type { SpendCap } from "./spend-cap.queries.ts";
import { describeSource, toCapInForce } from "./spend-cap.view-model.ts";

describe("a spend cap", () => {
  it("is in force while a plan with a price runs", () => {
    expect(toCapInForce(makeSpendCap())).toBeUndefined();
    expect(toCapInForce(makeSpendCap({ cap: "40.00" }))).toBeUndefined();
  });

  it("of 0 is used up", () => {
    const period: SpendCap["period"] = {
      from: "2026-06-01T00:00:00.000Z",
      to: "2026-07-01T00:00:00.000Z",
      fees: "0.00",
      spent: "0.00",
      reserved: "0.00",
      isReached: true,
      meters: [{ meter: "requests", unitsLeft: "0" }],
    };
    const shown = toCapInForce(makeSpendCap({ cap: "0.00", tenantCap: "0.00", period }));
    expect(shown).toMatchObject({ share: 1, isReached: true });
    expect(shown?.says).toMatch(/until .*2026/);
  });

  it.each([
    [{ cap: "30.00", tenantCap: "40.00", operatorCap: "30.00" }, "and counts"],
    [{ cap: "20.00", tenantCap: "20.00", operatorCap: "30.00" }, "your own is smaller"],
  ])("says which of two caps counts", (caps, text) => {
    expect(describeSource(makeSpendCap(caps))).toContain(text);
  });
});
