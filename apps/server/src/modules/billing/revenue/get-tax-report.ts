import type { TaxReport } from "@turnpike/contract/tax-report";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { taxSchemeOf } from "@turnpike/domain/billing/tax/tax-scheme";
import { formatMinor } from "@turnpike/domain/money/currency";
import { fromScaled } from "@turnpike/domain/money/decimal";
import type { AppServices } from "#platform/app-services.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { rangeOfPeriod } from "./month-of.ts";
import { findFirstIssue, sumDocuments, sumEcSales, sumTaxes } from "./tax-report.store.ts";

function toMoney(minor: string, code: string): string {
  return formatMinor(BigInt(minor), currencyOf(code));
}

/**
 * The taxes of a period: invoices less credit notes by their dates of issue, as they were frozen, in their own currencies.
 *
 * @param input.period - A year, quarter or month, UTC.
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function getTaxReport(
  deps: Pick<AppServices, "transact" | "clock">,
  context: CallContext,
  { period }: { period: string },
): Promise<TaxReport> {
  assertMay(context.actor, "invoices:read");
  const range = rangeOfPeriod(period);
  const { first, totals, cells, ecSales } = await deps.transact.asOperator(async (tx) => ({
    first: await findFirstIssue(tx),
    totals: await sumDocuments(tx, range),
    cells: await sumTaxes(tx, range),
    ecSales: await sumEcSales(tx, range),
  }));
  return {
    period,
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    isOver: range.to <= deps.clock.now(),
    firstIssuedAt: first?.toISOString() ?? null,
    totals: totals.map(({ net, tax, ...row }) => ({
      ...row,
      net: toMoney(net, row.currency),
      tax: toMoney(tax, row.currency),
    })),
    cells: cells.map(({ rate, net, tax, ...row }) => ({
      ...row,
      rate: fromScaled(BigInt(rate)),
      scheme: taxSchemeOf(row),
      net: toMoney(net, row.currency),
      tax: toMoney(tax, row.currency),
    })),
    ecSales: ecSales.map(({ net, ...row }) => ({ ...row, net: toMoney(net, row.currency) })),
  };
}
