import { describe, expect, it } from "vitest";
import { findCurrency } from "../../money/currency.ts";
import { fromScaled, SCALE } from "../../money/decimal.ts";
import { createLine } from "../rating/line.ts";
import { EU_RATES } from "./eu-rates.ts";
import { EU_COUNTRIES, type Seller } from "./tax-decision.ts";
import { taxLines } from "./tax-lines.ts";

const EUR = findCurrency("EUR") ?? { code: "EUR", digits: 2 };
const SELLER: Seller = {
  country: "DE",
  isRegistered: true,
  pricesInclude: "net",
  taxRates: EU_RATES,
};

/** The rate of a consumer in a country for a line that cannot be cut, on a day. */
function rateOn(country: string, day: string): string | undefined {
  const toMs = Date.parse(day);
  const line = createLine({
    kind: "adjustment",
    owner: undefined,
    span: { fromMs: toMs - 1, toMs },
    quantity: SCALE,
    amount: 100n,
    taxClass: "standard",
  });
  const customer = {
    country,
    region: undefined,
    taxId: undefined,
    taxIdStatus: undefined,
    isExempt: false,
  };
  const [taxed] = taxLines([line], { seller: SELLER, customer, currency: EUR });
  const [kind] = taxed?.taxes ?? [];
  return kind === undefined ? undefined : fromScaled(kind.rate);
}

describe("EU_RATES", () => {
  it("has one rate for every member state at any time", () => {
    for (const country of EU_COUNTRIES) {
      const rates = ["2014-06-01", "2020-12-01", "2026-01-01"].map((day) => rateOn(country, day));
      expect(
        rates.every((rate) => Number(rate) >= 15 && Number(rate) <= 27),
        `${country} ${rates.join()}`,
      ).toBe(true);
    }
  });

  it("changes on the day that the state did", () => {
    expect(["2020-07-01", "2020-07-02", "2021-01-02"].map((day) => rateOn("DE", day))).toEqual([
      "19",
      "16",
      "19",
    ]);
    expect(["2024-09-01", "2024-09-02"].map((day) => rateOn("FI", day))).toEqual(["24", "25.5"]);
    expect(["2025-08-01", "2025-08-02"].map((day) => rateOn("RO", day))).toEqual(["19", "21"]);
  });
});
