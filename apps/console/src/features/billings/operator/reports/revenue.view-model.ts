import { t } from "@lingui/core/macro";
import type { ChartFormats, TimeSeries } from "@turnpike/ui/charts/chart-types";
import type { TimeBucket } from "@turnpike/ui/charts/time-buckets.view-model";
import { LANGUAGE } from "@turnpike/ui/language";
import { createChartFormats } from "#platform/chart-formats.ts";
import { formatMinorUnits, formatMoney, isZero } from "#platform/format-money.ts";
import type { RevenueMonth, RevenueOfCurrency } from "./reports.queries.ts";
import type { RowKind } from "./reports-search.view-model.ts";

const MONTH = new Intl.DateTimeFormat(LANGUAGE, {
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
const LONG_MONTH = new Intl.DateTimeFormat(LANGUAGE, {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** Writes a month: "Nov 2026", or "November 2026". */
export function formatMonth(month: string, length: "short" | "long" = "short"): string {
  return (length === "short" ? MONTH : LONG_MONTH).format(Date.parse(`${month}-01T00:00:00Z`));
}

/** What each figure means, in the words of `docs/billing.md`. */
export const DEFINITIONS = {
  mrr: t`Monthly recurring revenue: the fees of the phases in force, each normalised to a month (a year by 12), with seats and add-ons, less coupons that hold for more than one period, before tax. Trials, pauses and free plans bring nothing. Usage, minimums and one-off lines are not in it.`,
  customers: t`Tenants that bring recurring revenue.`,
  new: t`What customers bring who never brought any before.`,
  expansion: t`What customers who brought some as the month began bring more at its end.`,
  contraction: t`What customers who still bring some at the end of the month bring less.`,
  churned: t`What customers brought as the month began who bring nothing at its end.`,
  reactivated: t`What customers bring who had left in an earlier month.`,
  closing: t`The opening and all movements of the month. Each customer moves once in a month, from what it brought as it began to what it brought at its end.`,
  netRetention: t`What the customers of the start of the month bring at its end, of what they brought: expansion is in it, new and returning customers are not.`,
  grossRetention: t`The same without expansion, so it is at most 100 %.`,
  revenueChurn: t`Contraction and churn, of the recurring revenue at the start of the month.`,
  customerChurn: t`Customers who left, of those at the start of the month.`,
  usage: t`Usage, late usage and minimums on the invoices of the month, less their discounts, before tax. By the date of issue; void invoices are left out, and credit notes are not taken off.`,
  overdue: t`What is still to be paid of open invoices that are past their due date.`,
} as const;

export const FIGURE_LABELS: Readonly<Record<keyof typeof DEFINITIONS, string>> = {
  mrr: "MRR",
  customers: t`Customers`,
  new: t`New`,
  expansion: t`Expansion`,
  contraction: t`Contraction`,
  churned: t`Churned`,
  reactivated: t`Reactivated`,
  closing: t`MRR at the end`,
  netRetention: t`Net revenue retention`,
  grossRetention: t`Gross revenue retention`,
  revenueChurn: t`Revenue churn`,
  customerChurn: t`Customer churn`,
  usage: t`Usage revenue`,
  overdue: t`Overdue`,
};

/** Writes a share; a dash of nothing. */
export function formatShare(share: string | null): string {
  // One decimal, as everywhere: the second one is cut and not rounded up to 100 %.
  return share === null ? "–" : `${share.slice(0, -1)}%`;
}

/** Writes a change with its sign: "+$12.00". */
export function formatChange(change: string, currency: string): string {
  const isUp = !change.startsWith("-") && /[1-9]/.test(change);
  return `${isUp ? "+" : ""}${formatMoney(change, currency)}`;
}

/** The amount of a kind of rows in a month. */
export function figureOf(month: RevenueMonth, kind: RowKind): string {
  if (kind === "closing" || kind === "usage") {
    return month[kind];
  }
  return month.movements[kind].change;
}

/** The last month that is over: rates of a running month would be of a part of it. */
export function findLastWhole({ months }: RevenueOfCurrency): RevenueMonth | undefined {
  return months.findLast(({ isOver }) => isOver);
}

/** Without the months before anything was brought; the running month stays. */
export function withoutEmptyStart(revenue: RevenueOfCurrency): RevenueOfCurrency {
  const { months } = revenue;
  const first = months.findIndex(
    ({ closing, usage, movements }) =>
      !isZero(closing) ||
      !isZero(usage) ||
      Object.values(movements).some(({ customers }) => customers > 0),
  );
  return { ...revenue, months: first === -1 ? months.slice(-1) : months.slice(first) };
}

/** Only for the height of a bar: what is read comes from the exact amount. */
function toMinorNumber(amount: string): number {
  return Number(amount.replace(".", ""));
}

function startMsOf(month: string): number {
  return Date.parse(`${month}-01T00:00:00Z`);
}

function nextMonthMs(month: string): number {
  const date = new Date(startMsOf(month));
  date.setUTCMonth(date.getUTCMonth() + 1);
  return date.getTime();
}

/** Recurring revenue by month, as a chart draws it: in minor units, which are whole numbers. */
export function toRevenueTimeline({ months, currency }: RevenueOfCurrency): {
  buckets: TimeBucket[];
  series: TimeSeries[];
  formats: ChartFormats;
} {
  const write = (minor: number) => formatMinorUnits(BigInt(Math.round(minor)), currency);
  const formats = createChartFormats("UTC", { value: write, exact: write });
  return {
    buckets: months.map(({ month, isOver }) => ({
      fromMs: startMsOf(month),
      toMs: nextMonthMs(month),
      ...(isOver ? {} : { isIncomplete: true }),
    })),
    series: [
      {
        key: "mrr",
        label: t`MRR at the end of the month`,
        tone: "accent",
        values: months.map(({ closing }) => toMinorNumber(closing)),
      },
    ],
    formats: { ...formats, bucket: ({ fromMs }) => LONG_MONTH.format(fromMs) },
  };
}
