import { describe, expect, it } from "vitest";
import { type SetupFacts, toSetupSteps } from "./setup.view-model.ts";

const ALL: SetupFacts = {
  isDemo: false,
  doUpstreamsAnswer: true,
  hasBrand: true,
  hasOwnPrices: true,
  hasTenants: true,
  hasCalls: true,
};
const openOf = (facts: Partial<SetupFacts>) =>
  toSetupSteps({ ...ALL, ...facts })?.flatMap(({ id, isDone }) => (isDone ? [] : [id]));

describe("toSetupSteps", () => {
  it("leaves nothing open once an own API is called by a customer with a priced plan", () => {
    expect(openOf({})).toEqual([]);
    expect(openOf({ hasOwnPrices: false, hasTenants: false, hasCalls: false })).toEqual([
      "plans",
      "customer",
      "call",
    ]);
  });

  it("counts neither the demo API nor a silent upstream as a connected API", () => {
    expect(openOf({ isDemo: true })).toEqual(["connect"]);
    expect(openOf({ doUpstreamsAnswer: false })).toEqual(["connect"]);
  });

  it("asks for a name before customers meet the product's own", () => {
    expect(openOf({ hasBrand: false, hasOwnPrices: false })).toEqual(["brand", "plans"]);
  });

  it("says nothing while a part is unknown", () => {
    expect(openOf({ hasCalls: undefined })).toBe(undefined);
    expect(openOf({ hasBrand: undefined })).toBe(undefined);
    expect(openOf({ doUpstreamsAnswer: undefined })).toBe(undefined);
  });
});
