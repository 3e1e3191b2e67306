import { migrationRow, migrationTotals } from "@turnpike/contract/plan-migrations";
import { describe, expect, it } from "vitest";
import { describeRest, describeTotals, toRowView } from "./migration.view-model.ts";

const AT = "2026-11-01T00:00:00.000Z";
const row = (more: object = {}) =>
  migrationRow.parse({
    kind: "subscriber",
    tenantId: "ten_0199f3b0c1d27a4e8f60112233445566",
    tenantName: "Acme",
    planVersion: 3,
    currency: "USD",
    from: AT,
    to: AT,
    isWhole: true,
    before: "49.00",
    after: "59.00",
    difference: "10.00",
    fault: null,
    ...more,
  });

describe("the sums of a preview", () => {
  it("say who would pay more and less, and what it is together", () => {
    const totals = {
      currency: "USD",
      more: 3,
      less: 1,
      same: 0,
      before: "388.00",
      after: "400.00",
      difference: "12.00",
    };
    expect(describeTotals(totals)).toBe(
      "3 would pay more, 1 would pay less: +$12.00 together, $400.00 instead of $388.00.",
    );
  });

  it("name who is not priced", () => {
    const totals = migrationTotals.parse({
      kind: "totals",
      subscribers: 4,
      unbilled: 1,
      refused: 2,
      currencies: [],
    });
    expect(describeRest(totals)).toEqual([
      "1 has the plan without being billed.",
      "2 cannot be moved.",
    ]);
  });
});

describe("a subscriber of a preview", () => {
  it("shows both prices and the signed difference", () => {
    expect(toRowView(row())).toMatchObject({
      before: "$49.00",
      after: "$59.00",
      difference: "+$10.00",
      note: undefined,
    });
    expect(toRowView(row({ difference: "-1.50" })).difference).toBe("-$1.50");
    expect(toRowView(row({ difference: "0.00" })).difference).toBe("$0.00");
  });

  it("says what is special: no bill, a period that runs, or why it cannot be moved", () => {
    const nothing = { currency: null, from: null, to: null, before: null, after: null };
    expect(toRowView(row({ ...nothing, difference: null }))).toMatchObject({
      before: "–",
      difference: "–",
      note: "Not billed.",
    });
    expect(toRowView(row({ isWhole: false })).note).toBe("The running period so far.");
    expect(toRowView(row({ after: null, fault: "Another currency." }))).toMatchObject({
      after: "–",
      note: "Another currency.",
    });
  });
});
