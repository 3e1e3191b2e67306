import { larger } from "../../money/bounds.ts";
import type { Currency } from "../../money/currency.ts";
import { roundToMinor } from "../../money/currency.ts";
import { type Exact, timesShare } from "../../money/exact.ts";
import { costOf, type TierPart } from "../../pricing/cost.ts";
import type { Price, Quantity } from "../../pricing/price.ts";

/** A half-open range of time `[fromMs, toMs)`, UTC, in epoch milliseconds. */
export type Span = { readonly fromMs: number; readonly toMs: number };

export type LineKind =
  | "base"
  | "proration"
  | "addOn"
  | "usage"
  | "beyondCap"
  | "late"
  | "commitment"
  | "adjustment"
  | "topUp"
  | "discount"
  | "promotional";

/** Whose line it is, which also orders the lines of an invoice. */
export type LineOwner = {
  readonly planId: string;
  readonly isAddOn: boolean;
  /** Rises with each plan that begins: a plan that a change ended comes before the new one. */
  readonly runOrder: number;
  readonly planPlace: number;
  /** Place of the card in its phase; the true-up of a phase has none. */
  readonly cardPlace: number | undefined;
  readonly card: string | undefined;
  /** The meter of the card; left out for a fee. */
  readonly meterId?: string;
  /** True for a plan whose usage draws on credit; left out for no. */
  readonly isPrepaid?: boolean;
};

export type Use = { readonly atMs: number; readonly quantity: Quantity };

/** What a line is computed from, so that it can be cut: a fee by time, usage by when it happened. */
export type LineSource =
  | { readonly of: "fee"; readonly price: Exact; readonly full: Span }
  | { readonly of: "usage"; readonly price: Price; readonly uses: readonly Use[] };

/** One tax of a line. `rate` is in per cent, scaled by 10^12. */
export type TaxKind = {
  readonly category: string;
  readonly rate: bigint;
  readonly name: string | undefined;
};

/** A line of an invoice. Amounts are minor units. */
export type Line = {
  readonly kind: LineKind;
  readonly owner: LineOwner | undefined;
  readonly span: Span | undefined;
  readonly quantity: Quantity | undefined;
  readonly amount: bigint;
  readonly tiers: readonly TierPart[];
  readonly taxClass: string;
  readonly source: LineSource | undefined;
  /** True for a fee that is charged before its time has passed, so that the rest can come back. */
  readonly isAdvance: boolean;
  /** Index of the coupon of a `discount`. */
  readonly coupon: number | undefined;
  /** Everything that coupons and promotional credit took off. */
  readonly discount: bigint;
  /** Sum of what credit notes took back. */
  readonly credited: bigint;
  /** True once a change or an end has credited its rest, which happens once. */
  readonly isReturned: boolean;
  readonly taxes: readonly TaxKind[];
  /** What an `adjustment` or a `topUp` is for, as the customer reads it. */
  readonly label: string | undefined;
};

const BLANK = {
  tiers: [],
  source: undefined,
  isAdvance: false,
  coupon: undefined,
  discount: 0n,
  credited: 0n,
  isReturned: false,
  taxes: [],
  label: undefined,
} as const satisfies Partial<Line>;

/** Creates a line on which nothing has been discounted, taxed or credited yet. */
export function createLine(
  line: Pick<Line, "kind" | "owner" | "span" | "quantity" | "amount" | "taxClass"> & Partial<Line>,
): Line {
  return { ...BLANK, ...line };
}

export function lengthOf({ fromMs, toMs }: Span): bigint {
  return BigInt(toMs - fromMs);
}

/** The part of a full period's price that a span is for. */
export function prorate(price: Exact, span: Span, full: Span): Exact {
  return timesShare(price, lengthOf(span), lengthOf(full));
}

/** The exact running total of a line from its start to `atMs`, rounded, with the quantity until then. */
export function totalUntil(
  line: Line & { readonly span: Span },
  atMs: number,
  currency: Currency,
): { amount: bigint; quantity: Quantity } {
  const { source, span } = line;
  if (source === undefined || atMs >= span.toMs) {
    return { amount: line.amount, quantity: line.quantity ?? 0n };
  }
  if (atMs <= span.fromMs) {
    return { amount: 0n, quantity: 0n };
  }
  if (source.of === "fee") {
    const exact = prorate(source.price, { fromMs: span.fromMs, toMs: atMs }, source.full);
    return { amount: roundToMinor(exact, currency), quantity: line.quantity ?? 0n };
  }
  const quantity = source.uses.reduce(
    (sum, use) => (use.atMs < atMs ? sum + use.quantity : sum),
    0n,
  );
  return { amount: roundToMinor(costOf(source.price, quantity), currency), quantity };
}

/** What is left of a line after everything that was taken off it; 0 for what lowers an invoice. */
export function creditableOf(line: Line): bigint {
  const left = line.amount - line.discount - line.credited;
  return larger(left, 0n);
}

/** True for the kinds that a customer is charged, as opposed to what lowers the invoice. */
export function isCharge({ kind }: Line): boolean {
  return kind !== "discount" && kind !== "promotional";
}
