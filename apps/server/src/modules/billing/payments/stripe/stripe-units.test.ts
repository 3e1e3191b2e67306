import fc from "fast-check";
import { expect, it } from "vitest";
import { fromStripeAmount, toStripeAmount } from "./stripe-units.ts";

const CODES = (
  "USD EUR GBP HUF TWD CHF BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF " +
  "BHD JOD KWD OMR TND ISK UGX"
).split(" ");

it("sends the units of Stripe's own table", () => {
  const sent = (amount: bigint, currency: string) => toStripeAmount(amount, currency);
  expect({
    dollars: sent(1_050n, "USD"),
    yen: sent(1_935n, "JPY"),
    francs: sent(23_188n, "RWF"),
    // No decimals by ISO 4217, two at Stripe.
    shillings: sent(23_188n, "UGX"),
    kronur: sent(5n, "ISK"),
    // Charged with fillér, paid out without.
    forint: sent(1_045n, "HUF"),
    // The last digit must be 0.
    dinars: sent(5_124n, "KWD"),
    // Two decimals by ISO 4217, none at Stripe.
    ariary: sent(1_050n, "MGA"),
    unlisted: sent(1_000n, "LYD"),
  }).toEqual({
    dollars: 1_050n,
    yen: 1_935n,
    francs: 23_188n,
    shillings: 2_318_800n,
    kronur: 500n,
    forint: 1_045n,
    dinars: 5_120n,
    ariary: 10n,
    unlisted: undefined,
  });
  expect(fromStripeAmount(2_318_800, "ugx")).toBe(23_188n);
});

it("never charges more than is owed, nor less than Stripe can charge, and reads back what it sent", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 14n }),
      fc.constantFrom(...CODES),
      (amount, currency) => {
        const sent = toStripeAmount(amount, currency) ?? -1n;
        const charged = fromStripeAmount(sent, currency);
        expect(charged).toBeLessThanOrEqual(amount);
        // The next larger amount that can be sent would be too much.
        expect(amount - charged).toBeLessThan(100n);
        expect(toStripeAmount(charged, currency)).toBe(sent);
      },
    ),
  );
});
