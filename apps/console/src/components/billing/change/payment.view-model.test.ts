import { describe, expect, it } from "vitest";
import type { PaymentSetup } from "#platform/billing-queries.ts";
import { toPaymentText } from "./payment.view-model.ts";

const NONE: PaymentSetup = { method: null, canSetUp: false, bank: null };
const CARD: PaymentSetup = {
  ...NONE,
  canSetUp: true,
  method: {
    ...{ provider: "stripe", type: "card", brand: "visa", last4: "4242" },
    ...{ expiresMonth: 4, expiresYear: 2030, since: "2026-11-01T00:00:00.000Z" },
  },
};
const BANK = { holder: "Acme", iban: null, bic: null, bank: null, lines: [] };
const DUE = { dueNow: "49.00", currency: "USD", nextAt: "2026-12-29T12:00:00.000Z" };
const LATER = { ...DUE, dueNow: "0.00" };

describe("how a change is paid", () => {
  it.each([
    ["by card at once", DUE, CARD, /^\$49\.00 is charged to Visa ending in 4242 as soon as/],
    ["without a card yet", DUE, { ...NONE, canSetUp: true }, /add one under Billings to pay it\.$/],
    ["with a choice", DUE, { ...NONE, canSetUp: true, bank: BANK }, /Pay it by transfer, or add/],
    [
      "by transfer",
      DUE,
      { ...NONE, bank: BANK },
      /^An invoice of \$49\.00 is issued, paid by transfer/,
    ],
    ["by invoice", DUE, NONE, /^An invoice of \$49\.00 is issued, which says how/],
    ["later, by card", LATER, CARD, /^Nothing is due now\. Later invoices are charged to Visa/],
    ["later, without one", LATER, { ...NONE, canSetUp: true }, /before the next invoice\.$/],
    ["later, by transfer", LATER, { ...NONE, bank: BANK }, /^Nothing is due now\. .* transfer\.$/],
    ["never again", { ...LATER, nextAt: null }, CARD, /^Nothing is due now\.$/],
  ])("is said: %s", (_why, quote, setup, text) => {
    expect(toPaymentText(quote, setup)).toMatch(text);
  });
});
