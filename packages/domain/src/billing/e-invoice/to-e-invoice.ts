import { type Currency, findCurrency } from "../../money/currency.ts";
import { SCALE } from "../../money/decimal.ts";
import { divideHalfAway } from "../../money/exact.ts";
import { splitByWeight } from "../../money/split.ts";
import type { Quantity } from "../../pricing/price.ts";
import type { TaxTotals } from "../invoices/invoice.ts";
import type { TaxKind } from "../rating/line.ts";
import type { AccountingTax } from "../tax/accounting-tax.ts";
import { toGroupKey } from "../tax/tax-totals.ts";
import type { EAddress, EInvoice, ELine, EParty, ETaxKind } from "./e-invoice.ts";

/** Why a document has no form as an e-invoice, as a sentence for the operator. */
export class NoEInvoice extends Error {
  override readonly name = "NoEInvoice";
}

/** A charge of a document, in its own terms: net, or gross with gross prices. */
export type Charge = {
  readonly name: string;
  readonly quantity: Quantity | undefined;
  readonly amount: bigint;
  readonly discount: bigint;
  readonly taxes: readonly TaxKind[];
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
};

export type DocumentParty = {
  readonly name: string;
  readonly address: Omit<EAddress, "country"> & { readonly country: string | undefined };
  readonly taxId: string | undefined;
  readonly email: string | undefined;
};

/** A frozen document, as it was issued. */
export type FrozenDocument = Pick<
  EInvoice,
  "kind" | "number" | "issuedAtMs" | "dueAtMs" | "currency" | "preceding" | "note"
> & {
  readonly seller: DocumentParty;
  readonly customer: DocumentParty;
  /** The certificate by which the customer is exempt. */
  readonly exemption: string | undefined;
  readonly charges: readonly Charge[];
  readonly totals: TaxTotals;
  /** What was paid before it was issued. */
  readonly prepaid: bigint;
  readonly accountingTax: AccountingTax | undefined;
};

function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n);
}

function kindKey({ category, rate }: ETaxKind): string {
  return `${category} ${String(rate)}`;
}

/** EN 16931 has one tax for each line. */
function kindOf({ name, taxes }: Charge): ETaxKind {
  const [kind, ...others] = taxes;
  if (kind === undefined) {
    throw new NoEInvoice(
      `“${name}” says nothing about tax, which an e-invoice must: configure billing.tax, and invoices from then on have it.`,
    );
  }
  if (others.length > 0) {
    throw new NoEInvoice(
      `“${name}” has several taxes; an e-invoice by EN 16931 has one for each line.`,
    );
  }
  return { category: kind.category, rate: kind.rate };
}

type NetCharge = ELine & { readonly discount: bigint };

/** The charges of one group of taxes as net amounts which, less their discounts, are the net of the group to the cent. */
function toNetCharges(charges: readonly Charge[], net: bigint): NetCharge[] {
  const discounts = sumOf(charges.map(({ discount }) => discount));
  const sum = sumOf(charges.map(({ amount }) => amount));
  // Discounts that leave nothing leave a net of nothing, so the difference is not 0 here.
  const allowance = divideHalfAway(discounts * net, sum - discounts);
  const nets = splitByWeight(
    net + allowance,
    charges.map(({ amount }) => amount),
  );
  const lowered = splitByWeight(
    allowance,
    charges.map(({ discount }) => discount),
  );
  return charges.map((charge, index) => ({
    ...kindOf(charge),
    name: charge.name,
    quantity: charge.quantity ?? SCALE,
    net: nets[index] ?? 0n,
    discount: lowered[index] ?? 0n,
    fromMs: charge.fromMs,
    toMs: charge.toMs,
  }));
}

function listNetCharges(document: FrozenDocument): NetCharge[] {
  const { totals } = document;
  const charged = document.charges.filter(({ amount }) => amount > 0n);
  const keys = [...new Set(charged.map(({ taxes }) => toGroupKey(taxes)))];
  return keys.flatMap((key) => {
    const own = charged.filter(({ taxes }) => toGroupKey(taxes) === key);
    const group = totals.groups.find(({ kinds }) => toGroupKey(kinds) === key);
    const left = sumOf(own.map(({ amount, discount }) => amount - discount));
    // Net prices: nothing is to be taken out, also where discounts leave nothing.
    return group === undefined || group.net === left
      ? own.map((charge) => ({
          ...kindOf(charge),
          name: charge.name,
          quantity: charge.quantity ?? SCALE,
          net: charge.amount,
          discount: charge.discount,
          fromMs: charge.fromMs,
          toMs: charge.toMs,
        }))
      : toNetCharges(own, group.net);
  });
}

const NO_TAX_REASONS: Readonly<Record<string, { code: string | undefined; text: string }>> = {
  AE: { code: "VATEX-EU-AE", text: "Reverse charge: the customer owes the tax." },
  O: { code: "VATEX-EU-O", text: "Not subject to VAT." },
  E: { code: undefined, text: "Exempt from VAT." },
};

function reasonOf({ category }: ETaxKind, exemption: string | undefined) {
  const reason = NO_TAX_REASONS[category];
  return category === "E" && exemption !== undefined
    ? { code: undefined, text: exemption }
    : reason;
}

/** Rows of one category and rate are one in an e-invoice, also when their names differ. */
function toTaxes({ totals, exemption }: FrozenDocument): EInvoice["taxes"] {
  const merged = new Map<string, EInvoice["taxes"][number]>();
  for (const { category, rate, base, amount } of totals.taxes) {
    const kind = { category, rate };
    const known = merged.get(kindKey(kind));
    merged.set(kindKey(kind), {
      ...kind,
      base: base + (known?.base ?? 0n),
      amount: amount + (known?.amount ?? 0n),
      reason: reasonOf(kind, exemption),
    });
  }
  return [...merged.values()];
}

function toAllowances(charges: readonly NetCharge[]): EInvoice["allowances"] {
  const merged = new Map<string, ETaxKind & { amount: bigint }>();
  for (const { category, rate, discount } of charges) {
    const key = kindKey({ category, rate });
    merged.set(key, { category, rate, amount: discount + (merged.get(key)?.amount ?? 0n) });
  }
  return [...merged.values()].filter(({ amount }) => amount > 0n);
}

/** VAT ids begin with their country; Greece is `EL` in them. */
function isVatId(taxId: string, country: string): boolean {
  return taxId.startsWith(country === "GR" ? "EL" : country);
}

function toParty(
  { name, address, taxId, email }: DocumentParty,
  { country, isOutside }: { country: string; isOutside: boolean },
): EParty {
  const place = address.country ?? country;
  // Where nothing is subject to VAT, no VAT id may be named: the id is then one of the party.
  const isVat = taxId !== undefined && !isOutside && isVatId(taxId, place);
  return {
    name,
    address: { ...address, country: place },
    vatId: isVat ? taxId : undefined,
    id: isVat ? undefined : taxId,
    email,
  };
}

function assertDigits({ code, digits }: Currency): void {
  if (digits > 2) {
    throw new NoEInvoice(
      `${code} has ${String(digits)} decimals; amounts of an e-invoice by EN 16931 have two at most.`,
    );
  }
}

function toAccounting({ accountingTax }: FrozenDocument): EInvoice["accounting"] {
  if (accountingTax === undefined) {
    return;
  }
  const { currency: code, amount: tax } = accountingTax;
  const currency = findCurrency(code) ?? { code, digits: 2 };
  assertDigits(currency);
  return { currency, tax };
}

/**
 * Writes a frozen document by the model of EN 16931. Amounts are those of the document: nothing is computed anew but the net of lines
 * whose prices include tax.
 *
 * @throws {NoEInvoice} When it has no such form.
 */
export function toEInvoice(document: FrozenDocument): EInvoice {
  assertDigits(document.currency);
  const { seller, customer, totals, prepaid } = document;
  const country = seller.address.country;
  if (country === undefined || seller.taxId === undefined) {
    throw new NoEInvoice(
      "An e-invoice needs the country and the tax id of the seller: set billing.seller.country and billing.seller.taxId.",
    );
  }
  const charges = listNetCharges(document);
  const allowances = toAllowances(charges);
  const isOutside = charges.some(({ category }) => category === "O");
  const tax = sumOf(totals.taxes.map(({ amount }) => amount));
  return {
    kind: document.kind,
    number: document.number,
    issuedAtMs: document.issuedAtMs,
    dueAtMs: document.dueAtMs,
    currency: document.currency,
    preceding: document.preceding,
    note: document.note,
    seller: toParty(seller, { country, isOutside }),
    // A customer without a country was taxed as one in the seller's.
    buyer: toParty(customer, { country, isOutside }),
    lines: charges.map(({ discount: _, ...line }) => line),
    allowances,
    taxes: toTaxes(document),
    totals: {
      lines: sumOf(charges.map(({ net }) => net)),
      allowances: sumOf(allowances.map(({ amount }) => amount)),
      net: totals.net,
      tax,
      total: totals.total,
      prepaid,
      due: totals.total - prepaid,
    },
    accounting: toAccounting(document),
  };
}
