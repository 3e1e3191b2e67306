import { t } from "@lingui/core/macro";
import type { InvoiceLine } from "#platform/billing-queries.ts";
import { formatCount } from "#platform/format.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";
import { formatSpan } from "#platform/format-period.ts";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { nameUnit, nameUnits } from "#platform/unit-words.ts";

export type TierView = { key: string; range: string; quantity: string; amount: string };

export type LineView = {
  number: number;
  title: string;
  /** "Nov 1 – 30, 2026", "Dec 1 – 31, 2026, in advance"; undefined for a line without a time. */
  span: string | undefined;
  /** "12,345 requests"; undefined for a line that counts nothing. */
  quantity: string | undefined;
  amount: string;
  /** What changed the amount afterwards, one sentence each. */
  notes: readonly string[];
  /** Why nothing is charged. */
  reason: string | undefined;
  tiers: readonly TierView[];
  /** Usage that opens to key, route and day. */
  opens: boolean;
};

/**
 * Writes a line of an invoice in words and numbers.
 *
 * @param context.issuedAt - When the invoice is issued: what begins then or later is charged in advance. Left out: not said.
 */
export function toLineView(
  line: InvoiceLine,
  { currency, issuedAt }: { currency: string; issuedAt?: string | null },
): LineView {
  const span = formatSpan(line.from, line.to);
  const isAhead = isInAdvance(line, issuedAt);
  const notes = [
    ...(isZero(line.discount) ? [] : [t`${formatMoney(line.discount, currency)} of discounts off`]),
    ...(isZero(line.credited)
      ? []
      : [t`${formatMoney(line.credited, currency)} taken back by credit notes`]),
  ];
  return {
    number: line.number,
    title: inLanguage(line.description),
    span: isAhead && span !== undefined ? t`${span}, in advance` : span,
    quantity: line.quantity === null ? undefined : formatUnits(line.quantity, line.unit),
    amount: formatMoney(line.amount, currency),
    notes,
    reason: line.reason === null ? undefined : inLanguage(line.reason),
    tiers: toTierViews(line, currency),
    opens: line.hasUsage,
  };
}

/** True for a line of a time that begins when its invoice is issued, or later. */
export function isInAdvance(
  { from }: Pick<InvoiceLine, "from">,
  issuedAt: string | null | undefined,
): boolean {
  return from !== null && typeof issuedAt === "string" && from >= issuedAt;
}

/** Writes a quantity with its unit: "1 request", "12,345 requests"; without a unit just the number. */
export function formatUnits(quantity: string, unit: string | null): string {
  const count = formatCount(quantity);
  return unit === null ? count : `${count} ${count === "1" ? nameUnit(unit) : nameUnits(unit)}`;
}

/** Fees have one tier at most, which says nothing that the line does not say. */
function toTierViews({ tiers, unit }: InvoiceLine, currency: string): readonly TierView[] {
  if (tiers.length === 1 && tiers[0]?.upTo === null) {
    return [];
  }
  return tiers.map((tier, index) => {
    const before = tiers[index - 1]?.upTo;
    return {
      key: tier.upTo ?? "rest",
      range: formatTierRange(before ?? null, tier.upTo),
      quantity: formatUnits(tier.quantity, unit),
      amount: formatMoney(tier.amount, currency),
    };
  });
}

/** Writes which quantities a tier holds: "First 1,000", "1,000 to 10,000", "Over 10,000", "All". Its end is inclusive. */
export function formatTierRange(after: string | null, upTo: string | null): string {
  if (after === null) {
    return upTo === null ? t`All` : t`First ${formatCount(upTo)}`;
  }
  const next = /^\d+$/.test(after) ? String(BigInt(after) + 1n) : after;
  return upTo === null
    ? t`Over ${formatCount(after)}`
    : t`${formatCount(next)} to ${formatCount(upTo)}`;
}
