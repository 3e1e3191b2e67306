import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCurrency } from "../../money/currency.ts";
import { SCALE, toScaled } from "../../money/decimal.ts";
import { createLine, type Line } from "../rating/line.ts";
import { type Customer, decideTax, type Seller, type TaxRate } from "./tax-decision.ts";
import { NoTaxRate, taxLines } from "./tax-lines.ts";
import { totalTaxes } from "./tax-totals.ts";

const EUR = findCurrency("EUR") ?? { code: "EUR", digits: 2 };
const SELLER: Seller = {
  country: "DE",
  isRegistered: true,
  pricesInclude: "net",
  taxRates: [],
};
const CUSTOMER: Customer = {
  country: undefined,
  region: undefined,
  taxId: undefined,
  taxIdStatus: undefined,
  isExempt: false,
};

describe("decideTax", () => {
  const confirmed = { taxId: "FR40303265045", taxIdStatus: "confirmed" } as const;
  it.each([
    ["an exempt customer, also when more holds", {}, { ...confirmed, isExempt: true }, "E"],
    ["a seller who is not registered", { isRegistered: false }, { country: "FR" }, "O"],
    ["a customer at home", {}, {}, "DE"],
    ["a business at home with a confirmed id", {}, { country: "DE", ...confirmed }, "DE"],
    ["a business in the Union with a confirmed id", {}, { country: "FR", ...confirmed }, "AE"],
    ["a pending id", {}, { country: "FR", ...confirmed, taxIdStatus: "pending" }, "FR"],
    ["a consumer in the Union", {}, { country: "FR" }, "FR"],
    ["a customer outside", {}, { country: "US", ...confirmed }, "O"],
    ["a seller outside", { country: "CH" }, { country: "FR", ...confirmed }, "O"],
  ] as const)("%s", (_case, seller, customer, expected) => {
    const decision = decideTax({ ...SELLER, ...seller }, { ...CUSTOMER, ...customer });
    expect(decision.of === "rates" ? decision.country : decision.category).toBe(expected);
  });
});

const rate = (of: Partial<TaxRate>): TaxRate => ({
  country: "DE",
  region: undefined,
  taxClass: "standard",
  category: "S",
  rate: toScaled("19"),
  name: undefined,
  fromMs: undefined,
  toMs: undefined,
  ...of,
});
const day = (text: string) => Date.parse(text);
const JULY = { fromMs: day("2020-06-21"), toMs: day("2020-07-11") };

function feeLine(amount: bigint): Line {
  return createLine({
    kind: "base",
    owner: undefined,
    span: JULY,
    quantity: SCALE,
    amount,
    taxClass: "standard",
    source: {
      of: "fee",
      price: { numerator: amount * 10n ** 10n, denominator: 1n },
      full: JULY,
    },
  });
}

describe("taxLines", () => {
  const taxRates = [
    rate({ toMs: day("2020-07-01") }),
    rate({ rate: toScaled("16"), fromMs: day("2020-07-01") }),
  ];
  const input = { seller: { ...SELLER, taxRates }, customer: CUSTOMER, currency: EUR };

  it("cuts a fee where its rate changes; the parts touch and sum to the fee", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 9n }), (amount) => {
        const [before, after] = taxLines([feeLine(amount)], input);
        expect(before?.span?.toMs).toBe(day("2020-07-01"));
        expect(after?.span).toEqual({ fromMs: day("2020-07-01"), toMs: JULY.toMs });
        expect((before?.amount ?? 0n) + (after?.amount ?? 0n)).toBe(amount);
        expect([before, after].map((line) => line?.taxes[0]?.rate)).toEqual([
          toScaled("19"),
          toScaled("16"),
        ]);
      }),
    );
  });

  it("takes the rate just before its end for what cannot be cut", () => {
    const late = { ...feeLine(100n), kind: "late" as const, source: undefined };
    expect(taxLines([late], input).map(({ taxes }) => taxes[0]?.rate)).toEqual([toScaled("16")]);
  });

  it("takes the new rate for a charge at the instant of the change", () => {
    const atMs = day("2020-07-01");
    const charge = { ...feeLine(100n), span: { fromMs: atMs, toMs: atMs }, source: undefined };
    expect(taxLines([charge], input).map(({ taxes }) => taxes[0]?.rate)).toEqual([toScaled("16")]);
  });

  it("does not fall back on an older row when the newest has ended", () => {
    const ended = [rate({}), rate({ fromMs: day("2020-01-01"), toMs: day("2020-02-01") })];
    const seller = { ...SELLER, taxRates: ended };
    expect(() => taxLines([feeLine(1n)], { ...input, seller })).toThrow(NoTaxRate);
  });

  it("adds up rows of the country and of the customer's region", () => {
    const seller = {
      ...SELLER,
      country: "CA",
      taxRates: [
        rate({ country: "CA", rate: toScaled("5"), name: "GST" }),
        rate({ country: "CA", region: "QC", rate: toScaled("9.975"), name: "QST" }),
        rate({ country: "CA", region: "ON", rate: toScaled("8"), name: "PST" }),
      ],
    };
    const [line] = taxLines([feeLine(100n)], {
      ...input,
      seller,
      customer: { ...CUSTOMER, region: "QC" },
    });
    expect(line?.taxes.map(({ name }) => name)).toEqual(["QST", "GST"]);
  });
});

describe("totalTaxes", () => {
  const kind = (percent: string) => ({
    category: "S",
    rate: toScaled(percent),
    name: undefined,
  });
  const sums = fc.array(
    fc.record({
      kinds: fc
        .subarray(["19", "7", "9.975", "0"], { minLength: 1 })
        .map((rates) => rates.map(kind)),
      sum: fc.bigInt({ min: 0n, max: 10n ** 10n }),
    }),
    { maxLength: 12 },
  );
  const total = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n);

  it("has one row for each tax, of the sum of its lines and not of each line", () => {
    fc.assert(
      fc.property(sums, (of) => {
        const { taxes, net, total: whole } = totalTaxes(of, "net");
        for (const row of taxes) {
          const base = total(
            of
              .filter(({ kinds }) => kinds.some((tax) => tax.rate === row.rate))
              .map(({ sum }) => sum),
          );
          expect(row.base).toBe(base);
          const exact = base * row.rate;
          const distance = row.amount * 100n * SCALE - exact;
          expect(2n * (distance < 0n ? -distance : distance) <= 100n * SCALE).toBe(true);
        }
        expect(whole).toBe(net + total(taxes.map(({ amount }) => amount)));
      }),
    );
  });

  it("keeps a gross price to the cent, with any tax in it", () => {
    fc.assert(
      fc.property(sums, (of) => {
        const { taxes, net, total: whole } = totalTaxes(of, "gross");
        expect(whole).toBe(total(of.map(({ sum }) => sum)));
        expect(net + total(taxes.map(({ amount }) => amount))).toBe(whole);
      }),
    );
  });

  it("does not round net and tax of a gross price apart: both are ties here", () => {
    const { net, taxes } = totalTaxes([{ kinds: [kind("4")], sum: 299n }], "gross");
    expect([net, taxes[0]?.amount]).toEqual([288n, 11n]);
  });
});
