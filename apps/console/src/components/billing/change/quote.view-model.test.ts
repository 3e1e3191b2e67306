import { describe, expect, it } from "vitest";
import { makeQuote } from "#components/billing/billing-answers.fixture.ts";
import { RequestError } from "#platform/error-message.ts";
import {
  findChangedQuote,
  toConfirmLabel,
  toEffect,
  toQuoteChanges,
  toQuoteFacts,
} from "./quote.view-model.ts";

describe("toConfirmLabel", () => {
  it("names the sum that is paid, or that nothing is", () => {
    expect(toConfirmLabel(makeQuote({ dueNow: "12.34" }))).toBe("Confirm for $12.34");
    expect(toConfirmLabel(makeQuote({ dueNow: "0.00" }))).toBe("Confirm: nothing due now");
  });
});

describe("toEffect", () => {
  it("tells at once from later", () => {
    expect(toEffect(makeQuote())).toBe("Takes effect at once.");
    expect(toEffect(makeQuote({ effectiveAt: "2026-12-01T00:00:00.000Z" }))).toMatch(
      /^Takes effect on Dec 1, 2026, 12:00\sAM UTC\.$/,
    );
  });
});

describe("toQuoteFacts", () => {
  it("shows a balance when there is one, the next invoice, and what is due now", () => {
    const write = (quote: Parameters<typeof toQuoteFacts>[0]) =>
      toQuoteFacts(quote).map(({ label, value }) => `${label}: ${value}`);
    expect(write(makeQuote({ balance: "5.00", dueNow: "12.34" }))).toEqual([
      "Balance afterwards: $5.00",
      "Next invoice, Dec 1, 2026: $200.00 plus usage",
      "Due now: $12.34",
    ]);
    expect(write(makeQuote({ nextAt: null, nextTotal: null }))).toEqual(["Due now: $0.00"]);
  });
});

describe("toQuoteChanges", () => {
  it("says each sum that changed, with what it was", () => {
    expect(
      toQuoteChanges(
        makeQuote({ dueNow: "12.34" }),
        makeQuote({ dueNow: "12.40", balance: "1.00" }),
      ),
    ).toEqual(["Balance afterwards: $1.00.", "Due now: $12.40, was $12.34."]);
  });

  it("says that the sums are the same when only lines differ", () => {
    expect(toQuoteChanges(makeQuote(), makeQuote({ hash: "other" }))).toEqual([
      "The sums are the same; the lines below are the new ones.",
    ]);
  });
});

describe("findChangedQuote", () => {
  const refusal = (code: string, quote: unknown) =>
    new RequestError("refused", { status: 409, data: { body: { code, quote } } });

  it("finds the new quote in the refusal, and nothing in another failure", () => {
    const quote = makeQuote({ hash: "new" });
    expect(findChangedQuote(refusal("QUOTE_CHANGED", quote))).toEqual(quote);
    expect(findChangedQuote(refusal("CONFLICT", quote))).toBe(undefined);
    expect(findChangedQuote(refusal("QUOTE_CHANGED", { hash: 1 }))).toBe(undefined);
    expect(findChangedQuote(new Error("no answer"))).toBe(undefined);
  });
});
