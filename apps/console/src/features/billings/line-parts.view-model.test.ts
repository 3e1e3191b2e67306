import { describe, expect, it } from "vitest";
import { makePart } from "#components/billing/billing-answers.fixture.ts";
import { sumParts, toPartName, toPartsSum } from "./line-parts.view-model.ts";

const PARTS = [
  { quantity: "0.1", amount: "0.33" },
  { quantity: "0.2", amount: "0.34" },
];
const LINE = { quantity: "0.3", amount: "0.67" };
const WHOLE = { isNarrowed: false, hasMore: false, currency: "USD" };

describe("sumParts", () => {
  it("is exact where floating point is not", () => {
    expect(sumParts(PARTS)).toEqual({ quantity: "0.3", amount: "0.67" });
    expect(sumParts([])).toEqual({ quantity: "0", amount: "0" });
  });
});

describe("toPartsSum", () => {
  it("says that the parts are the line when they are, to the unit and to the cent", () => {
    expect(toPartsSum(PARTS, LINE, WHOLE)).toEqual({
      label: "Sum, equal to the line",
      quantity: "0.3",
      amount: "$0.67",
      isLine: true,
    });
    expect(toPartsSum(PARTS, { ...LINE, amount: "0.68" }, WHOLE).isLine).toBe(false);
    expect(toPartsSum(PARTS, { ...LINE, quantity: "0.4" }, WHOLE).isLine).toBe(false);
  });

  it("claims nothing of parts that are not all, or parts of a part", () => {
    expect(toPartsSum(PARTS, LINE, { ...WHOLE, hasMore: true }).label).toBe("Sum of these");
    expect(toPartsSum(PARTS, LINE, { ...WHOLE, isNarrowed: true }).isLine).toBe(false);
  });
});

describe("toPartName", () => {
  it("names what has no day, key or route", () => {
    expect((["day", "key", "route"] as const).map((by) => toPartName(makePart(), by))).toEqual([
      "Without a day",
      "Without a key",
      "Without a route",
    ]);
  });

  it("writes a day, the name of a key, and a deleted key by its id", () => {
    expect(toPartName(makePart({ day: "2026-11-26" }), "day")).toBe("Nov 26, 2026");
    expect(toPartName(makePart({ keyId: "key_1", keyName: "Web" }), "key")).toBe("Web");
    expect(toPartName(makePart({ keyId: "key_1" }), "key")).toBe("key_1");
  });
});
