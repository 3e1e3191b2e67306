import { describe, expect, it } from "vitest";
import { makeInvoice, makeLine } from "#components/billing/billing-answers.fixture.ts";
import {
  EMPTY_CREDIT,
  isCreditable,
  listCreditable,
  previewCredit,
  toCreditInput,
} from "./credit.view-model.ts";

const INVOICE = makeInvoice({
  lines: [
    makeLine({ number: 1, amount: "49.00", discount: "9.00", credited: "10.00" }),
    makeLine({ number: 2, description: "Requests", amount: "18.05" }),
    makeLine({ number: 3, amount: "5.00", credited: "5.00" }),
    makeLine({ number: 4, amount: "-3.00" }),
  ],
});

describe("what can be credited", () => {
  it("is what discounts and earlier notes have left of each line", () => {
    expect(listCreditable(INVOICE).map(({ number, left }) => [number, left])).toEqual([
      [1, "30"],
      [2, "18.05"],
    ]);
    expect(isCreditable(INVOICE)).toBe(true);
    expect(isCreditable({ ...INVOICE, state: "void" })).toBe(false);
    expect(isCreditable({ ...INVOICE, lines: [] })).toBe(false);
  });
});

describe("the preview of a credit note", () => {
  const preview = (draft: Partial<typeof EMPTY_CREDIT>, invoice = INVOICE) =>
    previewCredit(invoice, { ...EMPTY_CREDIT, ...draft });

  it("takes back all that is left unless told otherwise", () => {
    expect(preview({})).toMatchObject({ credited: "48.05", left: "0", isComplete: true });
  });

  it("says what an amount leaves, exactly", () => {
    expect(preview({ mode: "amount", amount: "0.05" })).toMatchObject({
      credited: "0.05",
      left: "48",
      isComplete: true,
    });
  });

  it("adds up lines, and leaves out those without an amount", () => {
    const draft = { mode: "lines" as const, lines: { 1: " 10 ", 2: "" } };
    expect(preview(draft)).toMatchObject({ credited: "10", left: "38.05", isComplete: true });
    expect(toCreditInput(INVOICE, { ...EMPTY_CREDIT, ...draft, reason: " Outage. " })).toEqual({
      invoiceId: INVOICE.invoiceId,
      reason: "Outage.",
      lines: [{ line: 1, amount: "10" }],
    });
  });

  it("refuses more than is left, too many decimals, and what is no amount", () => {
    const faults = ["48.06", "1.005", "ten", "0"].map(
      (amount) => preview({ mode: "amount", amount }).faults.amount,
    );
    expect(faults).toEqual([
      "At most 48.05 is left.",
      "At most 2 decimals.",
      "An amount above 0, such as 12.50.",
      "An amount above 0, such as 12.50.",
    ]);
    expect(preview({ mode: "lines", lines: { 2: "18.06" } })).toMatchObject({
      faults: { lines: { 2: "At most 18.05 is left." } },
      isComplete: false,
    });
    expect(preview({ mode: "amount", amount: "" }).isComplete).toBe(false);
  });

  it("knows currencies without decimals", () => {
    const yen = makeInvoice({ currency: "JPY", lines: [makeLine({ amount: "500" })] });
    expect(preview({ mode: "amount", amount: "1.5" }, yen).faults.amount).toBe("No decimals.");
  });
});
