import type { RevenueMonth, RevenueOfCurrency, RevenueReport } from "@turnpike/contract/revenue";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import {
  type BasisPoints,
  flowFrom,
  type MOVEMENT_KINDS,
  type MovementGroup,
  movementKind,
  type RevenueFlow,
  ratesOf,
} from "@turnpike/domain/billing/revenue/movements";
import { OVERDUE_AGES } from "@turnpike/domain/billing/revenue/overdue-ages";
import { type Currency, formatMinor } from "@turnpike/domain/money/currency";
import { toFixedText } from "@turnpike/domain/money/decimal";
import { listMonthsUntil, parseCalendarRange } from "@turnpike/domain/time/calendar-range";
import type { AppServices } from "#platform/app-services.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { agesAt } from "./ages-at.ts";
import { type OverdueSumRow, sumOverdue } from "./overdue.store.ts";
import { type MovementRow, sumMovements, sumUsage, type UsageSumRow } from "./revenue.store.ts";

/** Counts a group of customers as one movement, whose kind depends on no amount. */
function toGroup(row: MovementRow): MovementGroup[] {
  const { isFromZero, isToZero, direction, hadBefore, change, customers } = row;
  const before = isFromZero ? 0n : 2n;
  const after = isToZero ? 0n : 2n + BigInt(direction);
  const kind = movementKind({ before, after, hadBefore });
  return kind === undefined ? [] : [{ kind, change: BigInt(change), customers }];
}

function toShare(points: BasisPoints): string | null {
  return points === undefined ? null : toFixedText(points, 2);
}

function toRevenueMonth(
  flow: RevenueFlow,
  {
    month,
    isOver,
    usage,
    currency,
  }: { month: string; isOver: boolean; usage: bigint; currency: Currency },
): RevenueMonth {
  const rates = ratesOf(flow);
  const sumOf = (kind: (typeof MOVEMENT_KINDS)[number]) => ({
    change: formatMinor(flow[kind].change, currency),
    customers: flow[kind].customers,
  });
  return {
    month,
    isOver,
    opening: formatMinor(flow.openingAmount, currency),
    openingCustomers: flow.openingCustomers,
    movements: {
      new: sumOf("new"),
      expansion: sumOf("expansion"),
      contraction: sumOf("contraction"),
      churned: sumOf("churned"),
      reactivated: sumOf("reactivated"),
    },
    closing: formatMinor(flow.closingAmount, currency),
    closingCustomers: flow.closingCustomers,
    customerChurn: toShare(rates.customerChurn),
    revenueChurn: toShare(rates.revenueChurn),
    netRetention: toShare(rates.netRetention),
    grossRetention: toShare(rates.grossRetention),
    usage: formatMinor(usage, currency),
  };
}

function toOverdue(rows: readonly OverdueSumRow[], currency: Currency) {
  const ages = OVERDUE_AGES.map((age, index) => {
    const row = rows.find((candidate) => candidate.age === index);
    return { ...age, count: row?.count ?? 0, due: formatMinor(BigInt(row?.due ?? 0), currency) };
  });
  return {
    count: rows.reduce((sum, { count }) => sum + count, 0),
    due: formatMinor(
      rows.reduce((sum, { due }) => sum + BigInt(due), 0n),
      currency,
    ),
    ages,
  };
}

type Sums = {
  movements: readonly MovementRow[];
  usage: readonly UsageSumRow[];
  overdue: readonly OverdueSumRow[];
};

function toCurrency(code: string, months: readonly string[], sums: Sums): RevenueOfCurrency {
  const currency = currencyOf(code);
  const movements = sums.movements.filter((row) => row.currency === code);
  const before = movements.filter(({ month }) => month === null);
  let opening = {
    amount: before.reduce((sum, { change }) => sum + BigInt(change), 0n),
    customers: before.reduce((sum, { customers }) => sum + customers, 0),
  };
  const rows = months.map((month, index) => {
    const groups = movements.filter((row) => row.month === month).flatMap(toGroup);
    const flow = flowFrom(opening, groups);
    opening = { amount: flow.closingAmount, customers: flow.closingCustomers };
    const used = sums.usage.find((row) => row.currency === code && row.month === month);
    return toRevenueMonth(flow, {
      month,
      isOver: index < months.length - 1,
      usage: BigInt(used?.usage ?? 0),
      currency,
    });
  });
  return {
    currency: code,
    mrr: formatMinor(opening.amount, currency),
    customers: opening.customers,
    months: rows,
    overdue: toOverdue(
      sums.overdue.filter((row) => row.currency === code),
      currency,
    ),
  };
}

/**
 * What subscriptions bring, by month and currency, from what was recorded as it happened: a month that is over does not change.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function getRevenue(
  deps: Pick<AppServices, "transact" | "clock">,
  context: CallContext,
  { months: count }: { months: number },
): Promise<RevenueReport> {
  assertMay(context.actor, "invoices:read");
  const now = deps.clock.now();
  const to = new Date(now.getTime() + 1);
  const months = listMonthsUntil(to, count);
  const from = parseCalendarRange(months[0] ?? "")?.from ?? now;
  const sums = await deps.transact.asOperator(async (tx) => ({
    movements: await sumMovements(tx, { from, to }),
    usage: await sumUsage(tx, { from, to }),
    overdue: await sumOverdue(tx, agesAt(now)),
  }));
  const codes = new Set(Object.values(sums).flatMap((rows) => rows.map((row) => row.currency)));
  return {
    asOf: now.toISOString(),
    currencies: [...codes].sort().map((code) => toCurrency(code, months, sums)),
  };
}
