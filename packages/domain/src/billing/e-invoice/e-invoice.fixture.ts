import { findCurrency } from "../../money/currency.ts";
import { SCALE, toScaled } from "../../money/decimal.ts";
import { type Account, createAccount } from "../account/account.ts";
import { issueInvoice } from "../account/issue-invoice.ts";
import type { Coupon } from "../invoices/coupon.ts";
import type { Invoice } from "../invoices/invoice.ts";
import { DUNNING_DEFAULT } from "../payments/dunning.ts";
import { createLine, isCharge } from "../rating/line.ts";
import { EU_RATES } from "../tax/eu-rates.ts";
import type { Customer, Seller } from "../tax/tax-decision.ts";
import type { FrozenDocument } from "./to-e-invoice.ts";

const AT_MS = Date.parse("2026-03-01");
const SPAN = { fromMs: Date.parse("2026-02-01"), toMs: AT_MS };

const CUSTOMER: Customer = {
  country: "DE",
  region: undefined,
  taxId: undefined,
  taxIdStatus: undefined,
  isExempt: false,
};

const REDUCED = {
  country: "DE",
  region: undefined,
  taxClass: "reduced",
  category: "S",
  rate: toScaled("7"),
  name: undefined,
  fromMs: undefined,
  toMs: undefined,
};

/** What an invoice of the engine is made from. */
export type Sample = {
  lines: readonly { amount: bigint; taxClass: "standard" | "reduced"; quantity?: string }[];
  coupons?: readonly Coupon["off"][];
  promotional?: bigint;
  prepaid?: bigint;
  balance?: bigint;
  currency?: string;
  pricesInclude?: Seller["pricesInclude"];
  isRegistered?: boolean;
  customer?: Partial<Customer>;
};

function toGrant(kind: "promotional" | "prepaid", granted: bigint) {
  return {
    kind,
    granted,
    left: granted,
    priority: 0,
    effectiveAtMs: 0,
    expiresAtMs: undefined,
    topUp: undefined,
    withdrawn: 0n,
  };
}

/** Lets the engine issue an invoice; undefined when there is nothing to charge. */
export function issueSample(sample: Sample): { invoice: Invoice; account: Account } | undefined {
  const currency = findCurrency(sample.currency ?? "EUR") ?? { code: "EUR", digits: 2 };
  const seller = {
    country: "DE",
    isRegistered: sample.isRegistered ?? true,
    pricesInclude: sample.pricesInclude ?? "net",
    taxRates: [...EU_RATES, REDUCED],
  };
  const account: Account = {
    ...createAccount(
      {
        currency,
        seller,
        catalog: { meters: new Map(), plans: new Map() },
        proration: "time",
        dunning: DUNNING_DEFAULT,
      },
      { ...CUSTOMER, ...sample.customer },
    ),
    coupons: (sample.coupons ?? []).map((off) => ({
      off,
      periods: undefined,
      cards: undefined,
      couponId: undefined,
    })),
    credit: {
      grants: [
        toGrant("promotional", sample.promotional ?? 0n),
        toGrant("prepaid", sample.prepaid ?? 0n),
      ],
      entries: [],
    },
    balance: sample.balance ?? 0n,
  };
  const lines = sample.lines.map(({ amount, taxClass, quantity }) =>
    createLine({
      kind: "adjustment",
      owner: undefined,
      span: SPAN,
      quantity: quantity === undefined ? SCALE : toScaled(quantity),
      amount,
      taxClass,
    }),
  );
  const after = issueInvoice(account, lines, AT_MS);
  const invoice = after.invoices[0];
  return invoice === undefined ? undefined : { invoice, account: after };
}

/** The document that is kept of an invoice. */
export function freeze(
  invoice: Invoice,
  { terms, customer }: Pick<Account, "terms" | "customer">,
): FrozenDocument {
  const address = {
    lines: ["Hauptstraße 1"],
    postalCode: "10115",
    city: "Berlin & Umland",
    region: undefined,
  };
  return {
    kind: "invoice",
    number: invoice.number,
    issuedAtMs: invoice.issuedAtMs,
    dueAtMs: invoice.issuedAtMs + 14 * 24 * 60 * 60 * 1000,
    currency: terms.currency,
    preceding: undefined,
    note: undefined,
    seller: {
      name: "Beispiel <GmbH>",
      address: { ...address, country: "DE" },
      taxId: "DE136695976",
      email: "rechnung@example.com",
    },
    customer: {
      name: "Exemple SARL",
      address: {
        ...address,
        lines: ["1 rue Haute", "Bâtiment B", "3e"],
        country: customer.country,
      },
      taxId: customer.taxId,
      email: "factures@example.com",
    },
    exemption: customer.isExempt ? "Certificate 7" : undefined,
    charges: invoice.lines.filter(isCharge).map((line) => ({
      name: "API requests",
      quantity: line.quantity,
      amount: line.amount,
      discount: line.discount,
      taxes: line.taxes,
      fromMs: line.span?.fromMs,
      toMs: line.span?.toMs,
    })),
    totals: invoice,
    accountingTax: undefined,
    prepaid: invoice.fromBalance + invoice.prepaid,
  };
}
