import { t } from "@lingui/core/macro";
import { fromScaled, toScaled } from "@turnpike/domain/money/decimal";
import type { InvoiceLine, LinePart } from "#platform/billing-queries.ts";
import { formatCount } from "#platform/format.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import { nameUnits } from "#platform/unit-words.ts";
import type { PartKind } from "./billings-search.view-model.ts";

export const PART_LABELS: Readonly<Record<PartKind, string>> = {
  day: t`Day`,
  key: t`Key`,
  route: t`Route`,
  model: t`Model`,
};

/** Heads a column of quantities: "Requests". */
export function toHeading(unit: string): string {
  const plural = nameUnits(unit);
  return plural.charAt(0).toUpperCase() + plural.slice(1);
}

/** Names a part by what it is a part of. */
export function toPartName(part: LinePart, by: PartKind): string {
  switch (by) {
    case "day":
      return part.day === null ? t`Without a day` : formatDate(part.day);
    case "key":
      return part.keyName ?? part.keyId ?? t`Without a key`;
    case "route":
      return part.route ?? t`Without a route`;
    case "model":
      return part.model ?? t`Without a model`;
    default:
      return by satisfies never;
  }
}

/** Sums quantities and amounts, exactly. */
export function sumParts(parts: readonly Pick<LinePart, "quantity" | "amount">[]) {
  const sum = (values: readonly string[]) =>
    fromScaled(values.reduce((total, value) => total + toScaled(value), 0n));
  return {
    quantity: sum(parts.map(({ quantity }) => quantity)),
    amount: sum(parts.map(({ amount }) => amount)),
  };
}

export type PartsSum = {
  label: string;
  quantity: string;
  amount: string;
  /** True when all parts of the line are there and sum to it. */
  isLine: boolean;
};

/**
 * Sums the parts that are shown, and says whether that is the whole line.
 *
 * @param state.isNarrowed - By a key or a day: then they are parts of a part.
 * @param state.hasMore - More parts follow than are shown.
 */
export function toPartsSum(
  parts: readonly Pick<LinePart, "quantity" | "amount">[],
  line: Pick<InvoiceLine, "quantity" | "amount">,
  { isNarrowed, hasMore, currency }: { isNarrowed: boolean; hasMore: boolean; currency: string },
): PartsSum {
  const { quantity, amount } = sumParts(parts);
  const isLine =
    !(isNarrowed || hasMore) &&
    toScaled(quantity) === toScaled(line.quantity ?? "0") &&
    toScaled(amount) === toScaled(line.amount);
  return {
    label: hasMore ? t`Sum of these` : isLine ? t`Sum, equal to the line` : t`Sum`,
    quantity: formatCount(quantity),
    amount: formatMoney(amount, currency),
    isLine,
  };
}
