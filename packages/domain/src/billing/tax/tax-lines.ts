import type { Currency } from "../../money/currency.ts";
import { isCharge, type Line, type Span, type TaxKind, totalUntil } from "../rating/line.ts";
import {
  type Customer,
  decideTax,
  type Seller,
  type TaxDecision,
  type TaxRate,
} from "./tax-decision.ts";

/** The table of rates has none for a line, so nothing can be invoiced until the operator adds it. */
export class NoTaxRate extends Error {
  override readonly name = "NoTaxRate";
}

/** Taxes of one class for one customer, over time. */
type Table = {
  readonly decision: TaxDecision;
  readonly rates: readonly TaxRate[];
};

/** Higher rates first, then by category, then by name. */
export function compareTaxKinds(a: TaxKind, b: TaxKind): number {
  if (a.rate !== b.rate) {
    return a.rate > b.rate ? -1 : 1;
  }
  const [left, right] = [`${a.category} ${a.name ?? ""}`, `${b.category} ${b.name ?? ""}`];
  return left < right ? -1 : left > right ? 1 : 0;
}

export function toKindKey({ category, rate, name }: TaxKind): string {
  return JSON.stringify([category, String(rate), name ?? null]);
}

/** Of rows for one thing the newest counts, unless it has ended. */
function newest(rates: readonly TaxRate[], atMs: number): TaxRate[] {
  const byName = new Map<string, TaxRate>();
  for (const rate of rates) {
    const key = JSON.stringify([rate.region ?? null, rate.name ?? null]);
    const known = byName.get(key);
    const begins = (row: TaxRate) => row.fromMs ?? Number.NEGATIVE_INFINITY;
    if (begins(rate) <= atMs && (known === undefined || begins(rate) >= begins(known))) {
      byName.set(key, rate);
    }
  }
  return [...byName.values()].filter(({ toMs }) => toMs === undefined || atMs < toMs);
}

/** @returns Empty when the table has no row. */
function kindsAt({ decision, rates }: Table, atMs: number): TaxKind[] {
  if (decision.of === "zero") {
    return [{ category: decision.category, rate: 0n, name: undefined }];
  }
  return newest(rates, atMs)
    .map(({ category, rate, name }) => ({ category, rate, name }))
    .sort(compareTaxKinds);
}

function tableOf(taxClass: string, seller: Seller, customer: Customer): Table {
  const decision = decideTax(seller, customer);
  const rates = seller.taxRates.filter(
    (rate) =>
      decision.of === "rates" &&
      rate.country === decision.country &&
      rate.taxClass === taxClass &&
      (rate.region === undefined || rate.region === customer.region),
  );
  return { decision, rates };
}

/** The taxes of a class for a customer at an instant; empty when the table has no rate. */
export function taxKindsAt(
  taxClass: string,
  { seller, customer, atMs }: { seller: Seller; customer: Customer; atMs: number },
): TaxKind[] {
  return kindsAt(tableOf(taxClass, seller, customer), atMs);
}

/** Taxes a line by the rates of an instant. Only what has an amount needs one. */
function taxAt(line: Line, table: Table, atMs: number): Line {
  const taxes = kindsAt(table, atMs);
  if (taxes.length === 0 && line.amount > 0n && table.decision.of === "rates") {
    throw new NoTaxRate(
      `Add a tax rate for ${table.decision.country}, class ${line.taxClass}, at ${new Date(atMs).toISOString()}: the table has none.`,
    );
  }
  return { ...line, taxes };
}

/** Instants inside a span at which the taxes become others. */
function listChanges(table: Table, { fromMs, toMs }: Span): number[] {
  const bounds = table.rates.flatMap((rate) => [rate.fromMs, rate.toMs]);
  const inside = [...new Set(bounds)]
    .filter((ms): ms is number => ms !== undefined && fromMs < ms && ms < toMs)
    .sort((a, b) => a - b);
  const toKey = (atMs: number) => kindsAt(table, atMs).map(toKindKey).join();
  return table.decision.of === "zero" ? [] : inside.filter((ms) => toKey(ms - 1) !== toKey(ms));
}

/** The taxes of a class over a span: those of its start, and of each change in it. */
export function listTaxKinds(
  taxClass: string,
  { seller, customer, span }: { seller: Seller; customer: Customer; span: Span },
): TaxKind[][] {
  const table = tableOf(taxClass, seller, customer);
  return [span.fromMs, ...listChanges(table, span)].map((atMs) => kindsAt(table, atMs));
}

function isCut(line: Line): boolean {
  return (
    line.source?.of === "fee" ||
    (line.source?.of === "usage" && line.source.price.model !== "volume")
  );
}

/** Cuts a line into differences of its running total, one for each stretch of one rate. */
function cutLine(line: Line & { span: Span }, table: Table, currency: Currency): Line[] {
  const changes = listChanges(table, line.span);
  const bounds = [...changes, line.span.toMs];
  let fromMs = line.span.fromMs;
  let before = { amount: 0n, quantity: 0n };
  return bounds.map((toMs) => {
    const total = totalUntil(line, toMs, currency);
    const isUsage = line.source?.of === "usage";
    const part: Line = {
      ...line,
      span: { fromMs, toMs },
      amount: total.amount - before.amount,
      quantity: isUsage ? total.quantity - before.quantity : line.quantity,
      tiers: changes.length === 0 ? line.tiers : [],
    };
    const taxed = taxAt(part, table, fromMs);
    fromMs = toMs;
    before = total;
    return taxed;
  });
}

/**
 * Gives each line its taxes, by when its service lies. Fees and usage are cut where their rates change; what cannot be cut takes the
 * rates just before its end.
 *
 * @param input.seller - Undefined for no tax at all: the lines come back as they are.
 * @throws {NoTaxRate} When the table has no rate for a line.
 */
export function taxLines(
  lines: readonly Line[],
  {
    seller,
    customer,
    currency,
  }: { seller: Seller | undefined; customer: Customer; currency: Currency },
): Line[] {
  if (seller === undefined) {
    return [...lines];
  }
  return lines.flatMap((line) => {
    const { span, taxClass } = line;
    if (!isCharge(line) || span === undefined) {
      return [line];
    }
    const table = tableOf(taxClass, seller, customer);
    return isCut(line)
      ? cutLine({ ...line, span }, table, currency)
      : [taxAt(line, table, Math.max(span.fromMs, span.toMs - 1))];
  });
}
