import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toScaled } from "../../money/decimal.ts";
import { taxOf } from "../tax/tax-totals.ts";
import { freeze, issueSample, type Sample } from "./e-invoice.fixture.ts";
import type { EInvoice } from "./e-invoice.ts";
import { NoEInvoice, toEInvoice } from "./to-e-invoice.ts";
import { writeCii } from "./write-cii.ts";
import { writeUbl } from "./write-ubl.ts";

const sum = <Item>(items: readonly Item[], pick: (item: Item) => bigint) =>
  items.reduce((total, item) => total + pick(item), 0n);

const samples: fc.Arbitrary<Sample> = fc.record({
  lines: fc.array(
    fc.record({
      amount: fc.bigInt({ min: 0n, max: 10n ** 7n }),
      taxClass: fc.constantFrom("standard" as const, "reduced" as const),
      quantity: fc.constantFrom("1", "0.5", "1234"),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  coupons: fc.array(
    fc.oneof(
      fc.integer({ min: 1, max: 100 }).map((percent) => ({ percent: toScaled(String(percent)) })),
      fc.bigInt({ min: 1n, max: 10n ** 6n }).map((amount) => ({ amount })),
    ),
    { maxLength: 2 },
  ),
  promotional: fc.bigInt({ min: 0n, max: 10n ** 6n }),
  prepaid: fc.bigInt({ min: 0n, max: 10n ** 6n }),
  balance: fc.bigInt({ min: 0n, max: 10n ** 5n }),
  currency: fc.constantFrom("EUR", "JPY"),
  pricesInclude: fc.constantFrom("net" as const, "gross" as const),
});

/** The sums that rules BR-CO-10 to BR-CO-17 of EN 16931 ask for, and BR-S-08 for each row of tax. */
function expectSums({ lines, allowances, taxes, totals }: EInvoice, isNet: boolean): void {
  expect(totals.lines).toBe(sum(lines, ({ net }) => net));
  expect(totals.allowances).toBe(sum(allowances, ({ amount }) => amount));
  expect(totals.net).toBe(totals.lines - totals.allowances);
  expect(totals.tax).toBe(sum(taxes, ({ amount }) => amount));
  expect(totals.total).toBe(totals.net + totals.tax);
  expect(totals.due).toBe(totals.total - totals.prepaid);
  for (const { category, rate, base, amount } of taxes) {
    const own = (kind: { category: string; rate: bigint }) =>
      kind.category === category && kind.rate === rate;
    expect(base).toBe(
      sum(lines.filter(own), ({ net }) => net) - sum(allowances.filter(own), (each) => each.amount),
    );
    const difference = amount - taxOf(base, rate);
    // With gross prices net and tax are not rounded apart: a unit may be the other's.
    expect(difference >= (isNet ? 0n : -1n) && difference <= (isNet ? 0n : 1n)).toBe(true);
  }
  expect(lines.every(({ net }) => net >= 0n)).toBe(true);
}

describe("an e-invoice", () => {
  it("keeps the rules of EN 16931 for sums, for any invoice of the engine", () => {
    fc.assert(
      fc.property(samples, (sample) => {
        const issued = issueSample(sample);
        if (issued === undefined) {
          return;
        }
        const document = freeze(issued.invoice, issued.account);
        const written = toEInvoice(document);
        expectSums(written, sample.pricesInclude === "net");
        expect(written.totals.total).toBe(issued.invoice.total);
        expect(writeUbl(written)).toBe(writeUbl(toEInvoice(document)));
        expect(writeCii(written)).toBe(writeCii(toEInvoice(document)));
      }),
    );
  });

  const LINES = [{ amount: 10_000n, taxClass: "standard" as const }];
  const write = (sample: Omit<Sample, "lines">) => {
    const issued = issueSample({ lines: LINES, ...sample }) ?? expect.fail("none");
    return toEInvoice(freeze(issued.invoice, issued.account));
  };

  it("names both VAT ids and the reason of a reverse charge", () => {
    const customer = { country: "FR", taxId: "FR40303265045", taxIdStatus: "confirmed" } as const;
    const written = write({ customer });
    expect([written.seller.vatId, written.buyer.vatId]).toEqual(["DE136695976", "FR40303265045"]);
    expect(written.taxes).toMatchObject([{ category: "AE", reason: { code: "VATEX-EU-AE" } }]);
    for (const xml of [writeUbl(written), writeCii(written)]) {
      expect(xml).toContain("Reverse charge: the customer owes the tax.");
      expect(xml).toContain("FR40303265045");
    }
  });

  it("names no VAT id where nothing is subject to VAT, and the certificate of an exemption", () => {
    const outside = write({ customer: { country: "US" } });
    expect([outside.seller.vatId, outside.seller.id]).toEqual([undefined, "DE136695976"]);
    const exempt = write({ customer: { isExempt: true } });
    expect(exempt.taxes).toMatchObject([{ category: "E", reason: { text: "Certificate 7" } }]);
  });

  it("states the tax in the seller's currency beside its own, and names both currencies", () => {
    const issued = issueSample({ lines: LINES, currency: "JPY" }) ?? expect.fail("none");
    const accountingTax = {
      ...{ currency: "EUR", amount: 1159n, rate: toScaled("0.0061") },
      ...{ rateFromMs: 0, source: undefined },
    };
    const document = { ...freeze(issued.invoice, issued.account), accountingTax };
    const written = toEInvoice(document);
    const ubl = writeUbl(written);
    expect(ubl).toContain(
      "<cbc:DocumentCurrencyCode>JPY</cbc:DocumentCurrencyCode><cbc:TaxCurrencyCode>EUR</cbc:TaxCurrencyCode>",
    );
    expect(ubl).toContain(
      '<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">11.59</cbc:TaxAmount></cac:TaxTotal><cac:LegalMonetaryTotal>',
    );
    const cii = writeCii(written);
    expect(cii).toContain(
      "<ram:TaxCurrencyCode>EUR</ram:TaxCurrencyCode><ram:InvoiceCurrencyCode>JPY</ram:InvoiceCurrencyCode>",
    );
    expect(cii).toContain(
      '<ram:TaxTotalAmount currencyID="JPY">1900</ram:TaxTotalAmount><ram:TaxTotalAmount currencyID="EUR">11.59</ram:TaxTotalAmount>',
    );
    expect(written.totals).toEqual(toEInvoice({ ...document, accountingTax: undefined }).totals);
  });

  it("escapes what XML would read as its own", () => {
    expect(writeUbl(write({}))).toContain("Beispiel &lt;GmbH&gt;");
    expect(writeCii(write({}))).toContain("Berlin &amp; Umland");
  });

  it("refuses currencies of three decimals, lines without a tax, and a seller without an id", () => {
    expect(() => write({ currency: "KWD" })).toThrow(NoEInvoice);
    const issued = issueSample({ lines: LINES }) ?? expect.fail("none");
    const document = freeze(issued.invoice, issued.account);
    const [charge] = document.charges;
    const untaxed = {
      ...document,
      charges: charge === undefined ? [] : [{ ...charge, taxes: [] }],
    };
    expect(() => toEInvoice(untaxed)).toThrow("billing.tax");
    const nameless = { ...document, seller: { ...document.seller, taxId: undefined } };
    expect(() => toEInvoice(nameless)).toThrow("billing.seller.taxId");
  });
});
