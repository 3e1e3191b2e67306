import { describe, expect, it } from "vitest";
import { makePlanDraft } from "./plan-draft.view-model.ts";
import {
  describePlace,
  listAncestors,
  makeFaultFinder,
  mergeFaults,
  toTermsFaults,
} from "./plan-faults.view-model.ts";

const CARD = "/phases/0/rateCards/0";

describe("faults of a plan", () => {
  const finder = makeFaultFinder([
    { pointer: `${CARD}/price/tiers/1/upTo`, message: "Higher." },
    { pointer: `${CARD}/key`, message: "Twice." },
    { pointer: "/phases/0/rateCards/01", message: "Not this card." },
  ]);

  it("are found exactly at a field, or below one that holds several", () => {
    expect(finder.at(`${CARD}/name`, `${CARD}/key`)).toBe("Twice.");
    expect(finder.at(CARD)).toBeUndefined();
    expect(finder.below(`${CARD}/price`)).toBe("Higher.");
    expect(finder.countBelow(CARD)).toBe(2);
  });

  it("are listed once when two checks find the same", () => {
    const fault = { pointer: "/name", message: "Empty." };
    expect(mergeFaults([fault], [{ ...fault }], [{ ...fault, message: "Other." }])).toHaveLength(2);
  });

  it("speak of what is typed into a field, not of quotes in a file", () => {
    const message = 'Write it as a decimal in quotes, such as "49.90".';
    expect(mergeFaults([{ pointer: "/amount", message }])).toEqual([
      { pointer: "/amount", message: "Write an amount, such as 49.90." },
    ]);
  });

  it("lose the place of the draft in the request", () => {
    const errors = [
      { pointer: "/terms/phases/0", message: "a" },
      { pointer: "/revision", message: "b" },
    ];
    expect(toTermsFaults(errors, "/terms").map(({ pointer }) => pointer)).toEqual([
      "/phases/0",
      "/revision",
    ]);
  });
});

describe("describePlace", () => {
  it("names phase, card, tier and field", () => {
    const draft = makePlanDraft("USD");
    const places = [
      `${CARD}/price/tiers/1/unitAmount`,
      "/phases/0/rateCards/7/entitlement",
      "/phases/1/duration",
      "/rateLimits/0/limit",
      `${CARD}/price/tiers`,
      "/name",
      "",
    ].map((pointer) => describePlace(pointer, draft));
    expect(places).toEqual([
      "Phase 1, card base, tier 2, unit price",
      "Phase 1, card 8, limit",
      "Phase 2, duration",
      "Rate limit 1, limit",
      "Phase 1, card base, tiers",
      "Name",
      "Plan",
    ]);
  });
});

describe("listAncestors", () => {
  it("climbs from a place to the whole", () => {
    expect(listAncestors("/a/b")).toEqual(["/a/b", "/a", ""]);
  });
});
