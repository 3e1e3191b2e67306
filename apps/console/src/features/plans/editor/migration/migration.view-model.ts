import { plural, t } from "@lingui/core/macro";
import type { MigrationRow, MigrationTotals } from "@turnpike/contract/plan-migrations";
import { formatCount } from "#platform/format.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";

type CurrencyTotals = MigrationTotals["currencies"][number];

/** An amount with its sign: "+$5.00", "-$3.00", "$0.00". */
export function formatDifference(difference: string, currency: string): string {
  const amount = formatMoney(difference, currency);
  return isZero(difference) || difference.startsWith("-") ? amount : `+${amount}`;
}

/** "3 would pay more, 5 less, 1 the same: +$12.00 together, $400.00 instead of $388.00." */
export function describeTotals(totals: CurrencyTotals): string {
  const { currency, more, less, same, before, after, difference } = totals;
  const counts = [
    ...(more > 0 ? [t`${formatCount(more)} would pay more`] : []),
    ...(less > 0 ? [t`${formatCount(less)} would pay less`] : []),
    ...(same > 0 ? [t`${formatCount(same)} would pay the same`] : []),
  ].join(", ");
  return t`${counts}: ${formatDifference(difference, currency)} together, ${formatMoney(after, currency)} instead of ${formatMoney(before, currency)}.`;
}

/** Subscribers that are counted but not priced, one sentence each. */
export function describeRest({
  unbilled,
  refused,
}: Pick<MigrationTotals, "unbilled" | "refused">): readonly string[] {
  return [
    ...(unbilled > 0
      ? [
          t`${formatCount(unbilled)} ${plural(unbilled, { one: "has", other: "have" })} the plan without being billed.`,
        ]
      : []),
    ...(refused > 0 ? [t`${formatCount(refused)} cannot be moved.`] : []),
  ];
}

export type MigrationRowView = {
  key: string;
  name: string;
  version: string;
  before: string;
  after: string;
  difference: string;
  /** What has to be said of the row. */
  note: string | undefined;
};

/** A subscriber of a preview in words and numbers. */
export function toRowView(row: MigrationRow): MigrationRowView {
  const { currency, before, after, difference } = row;
  const money = (amount: string | null) =>
    amount === null || currency === null ? "–" : formatMoney(amount, currency);
  return {
    key: row.tenantId,
    name: row.tenantName,
    version: String(row.planVersion),
    before: money(before),
    after: money(after),
    difference:
      difference === null || currency === null ? "–" : formatDifference(difference, currency),
    note:
      row.fault ??
      (row.from === null
        ? t`Not billed.`
        : row.isWhole
          ? undefined
          : t`The running period so far.`),
  };
}
