import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCurrency } from "../../money/currency.ts";
import { toScaled } from "../../money/decimal.ts";
import {
  type AccountingTerms,
  creditAccountingTax,
  NoExchangeRate,
  toAccountingTax,
} from "./accounting-tax.ts";

const currencyOf = (code: string) => findCurrency(code) ?? expect.fail(code);
const rateOf = (currency: string, day: string, rate: string) => ({
  ...{ currency, rate: toScaled(rate), fromMs: Date.parse(day) },
});
const TERMS: AccountingTerms = {
  currency: currencyOf("EUR"),
  source: "European Central Bank",
  rates: [
    rateOf("USD", "2026-11-02", "0.9"),
    rateOf("USD", "2026-10-01", "0.85"),
    rateOf("JPY", "2026-11-01", "0.0061"),
    rateOf("KWD", "2026-11-01", "2.8"),
  ],
};
const state = (code: string, tax: bigint, day: string, isBinding = true) =>
  toAccountingTax(TERMS, { tax, currency: currencyOf(code), atMs: Date.parse(day), isBinding });

describe("the tax in the seller's own currency", () => {
  it.each([
    ["USD", 1900n, "2026-11-02", 1710n],
    ["USD", 1900n, "2026-11-01T23:59:59.999Z", 1615n],
    // Half a cent goes away from zero.
    ["USD", 5n, "2026-11-02", 5n],
    ["JPY", 1000n, "2026-11-30", 610n],
    ["KWD", 1001n, "2026-11-01", 280n],
  ])("of %s %s at %s is %s", (code, tax, day, amount) => {
    expect(state(code, tax, day)?.amount).toBe(amount);
  });

  it("is not stated without tax, nor in that currency", () => {
    expect(state("EUR", 1900n, "2026-11-02")).toBeUndefined();
    expect(state("GBP", 0n, "2026-11-02")).toBeUndefined();
  });

  it("needs a rate that counts: none before the first day, and none for long after the last", () => {
    expect(() => state("GBP", 1n, "2026-11-02")).toThrow(NoExchangeRate);
    expect(() => state("USD", 1n, "2026-09-30")).toThrow(NoExchangeRate);
    expect(state("USD", 100n, "2026-12-06T23:59:59.999Z")?.amount).toBe(90n);
    expect(() => state("USD", 100n, "2026-12-07")).toThrow(
      "Add the rate of USD in EUR at 2026-12-07T00:00:00.000Z",
    );
  });

  it("of a document that is not accounted for takes the newest rate, or none", () => {
    expect(state("USD", 100n, "2036-01-01", false)?.amount).toBe(90n);
    expect(state("GBP", 100n, "2026-11-02", false)).toBeUndefined();
  });

  it("of all credit notes together is that of the invoice, for any notes", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("USD", "JPY", "KWD"),
        fc.array(fc.bigInt({ min: 0n, max: 10n ** 6n }), { minLength: 1, maxLength: 8 }),
        (code, parts) => {
          const total = parts.reduce((sum, part) => sum + part, 0n);
          const invoice = state(code, total, "2026-11-05");
          fc.pre(invoice !== undefined);
          let before = 0n;
          let stated = 0n;
          for (const tax of parts) {
            const currency = currencyOf(code);
            stated += creditAccountingTax(invoice, { tax, before, currency }).amount;
            before += tax;
          }
          expect(stated).toBe(invoice.amount);
        },
      ),
    );
  });
});
