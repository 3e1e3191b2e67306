import { describe, expect, it } from "vitest";
import { makeLine } from "./billing-answers.fixture.ts";
import { formatTierRange, formatUnits, toLineView } from "./invoice-line.view-model.ts";

describe("toLineView", () => {
  it("writes usage with its quantity, span and tiers", () => {
    const view = toLineView(
      makeLine({
        kind: "usage",
        description: "Requests",
        quantity: "1500",
        unit: "request",
        amount: "1.00",
        tiers: [
          { upTo: "1000", quantity: "1000", amount: "0" },
          { upTo: null, quantity: "500", amount: "1" },
        ],
        hasUsage: true,
      }),
      { currency: "USD" },
    );
    expect(view).toMatchObject({
      title: "Requests",
      quantity: "1,500 requests",
      amount: "$1.00",
      opens: true,
      reason: undefined,
      notes: [],
    });
    expect(view.tiers.map(({ range, quantity, amount }) => [range, quantity, amount])).toEqual([
      ["First 1,000", "1,000 requests", "$0.00"],
      ["Over 1,000", "500 requests", "$1.00"],
    ]);
  });

  it("says why nothing is charged, and what was taken off later", () => {
    const view = toLineView(
      makeLine({
        amount: "10.00",
        discount: "2.50",
        credited: "1.00",
        reason: "Beyond the hard limit of your plan.",
      }),
      { currency: "USD" },
    );
    expect(view.reason).toBe("Beyond the hard limit of your plan.");
    expect(view.notes).toEqual(["$2.50 of discounts off", "$1.00 taken back by credit notes"]);
  });

  it("says what is charged in advance, by the date of the invoice", () => {
    const spanAt = (issuedAt: string | null) =>
      toLineView(makeLine(), { currency: "USD", issuedAt }).span?.endsWith(", in advance");
    expect(spanAt("2026-11-01T00:00:00.000Z")).toBe(true);
    expect(spanAt("2026-12-01T00:00:00.000Z")).toBe(false);
    expect(spanAt(null)).toBe(false);
  });

  it("leaves out a single tier that holds everything", () => {
    const tiers = [{ upTo: null, quantity: "5", amount: "5" }];
    expect(toLineView(makeLine({ tiers }), { currency: "USD" }).tiers).toEqual([]);
  });
});

describe("formatTierRange", () => {
  it.each([
    [null, "1000", "First 1,000"],
    ["1000", "10000", "1,001 to 10,000"],
    ["0.5", "10", "0.5 to 10"],
    ["10000", null, "Over 10,000"],
    [null, null, "All"],
  ])("after %s, up to %s: %s", (after, upTo, text) => {
    expect(formatTierRange(after, upTo)).toBe(text);
  });
});

describe("formatUnits", () => {
  it("writes one unit in the singular", () => {
    expect(formatUnits("1", "request")).toBe("1 request");
    expect(formatUnits("0", "query")).toBe("0 queries");
    expect(formatUnits("2.5", null)).toBe("2.5");
  });
});
