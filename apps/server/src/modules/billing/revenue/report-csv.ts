import type { CallContext } from "@turnpike/domain/access/actor";
import { assertMay } from "@turnpike/domain/access/actor";
import { movementKind } from "@turnpike/domain/billing/revenue/movements";
import { taxSchemeOf } from "@turnpike/domain/billing/tax/tax-scheme";
import { formatMinor } from "@turnpike/domain/money/currency";
import { fromScaled } from "@turnpike/domain/money/decimal";
import type { AppServices } from "#platform/app-services.ts";
import { toCsvRow, toTextCell } from "#platform/csv.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { monthOf, rangeOfPeriod } from "./month-of.ts";
import { type CustomerRow, listCustomers, type SizePlace } from "./revenue.store.ts";
import { listTaxRows, type TaxDocumentRow, type TaxPlace } from "./tax-report.store.ts";

type Deps = Pick<AppServices, "transact" | "clock">;

/** Rows that are read at once. */
const PAGE = 1_000;

const CUSTOMER_COLUMNS = [
  "month",
  "currency",
  "tenant_id",
  "tenant",
  "plan",
  "kind",
  "before",
  "after",
  "change",
];

function toCustomerLine(row: CustomerRow, { month, code }: { month: string; code: string }) {
  const currency = currencyOf(code);
  const [before, after] = [BigInt(row.before), BigInt(row.after)];
  return toCsvRow([
    month,
    code,
    toTextCell(row.tenantId),
    toTextCell(row.tenantName),
    toTextCell(row.planId),
    movementKind({ before, after, hadBefore: row.hadBefore }) ?? "",
    formatMinor(before, currency),
    formatMinor(after, currency),
    formatMinor(after - before, currency),
  ]);
}

/**
 * The customers that bring recurring revenue at the end of a month, or have moved in it, as CSV (RFC 4180), page by page.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function* writeRevenueCsv(
  deps: Deps,
  context: CallContext,
  { month, currency, rows: of }: { month: string; currency: string; rows: "closing" | "moved" },
): AsyncGenerator<string> {
  assertMay(context.actor, "invoices:read");
  const range = monthOf(month, deps.clock.now());
  yield toCsvRow(CUSTOMER_COLUMNS);
  for (let after: SizePlace | undefined; ; ) {
    const rows = await deps.transact.asOperator((tx) =>
      listCustomers(tx, { currency, ...range, filter: { of }, after, limit: PAGE }),
    );
    yield rows.map((row) => toCustomerLine(row, { month, code: currency })).join("");
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) {
      return;
    }
    const change = BigInt(last.after) - BigInt(last.before);
    const size = of === "closing" ? BigInt(last.after) : change < 0n ? -change : change;
    after = { size: size.toString(), id: last.tenantId };
  }
}

const TAX_COLUMNS = [
  "document",
  "number",
  "date",
  "tenant_id",
  "customer",
  "tax_id",
  "currency",
  "country",
  "category",
  "rate",
  "tax_name",
  "scheme",
  "net",
  "tax",
];

function toTaxLine(row: TaxDocumentRow): string {
  const currency = currencyOf(row.currency);
  return toCsvRow([
    row.kind,
    toTextCell(row.number),
    row.at.toISOString(),
    toTextCell(row.tenantId),
    toTextCell(row.customerName),
    toTextCell(row.taxId ?? ""),
    row.currency,
    toTextCell(row.country),
    toTextCell(row.category),
    fromScaled(BigInt(row.rate)),
    toTextCell(row.name ?? ""),
    taxSchemeOf(row),
    formatMinor(BigInt(row.net), currency),
    formatMinor(BigInt(row.tax), currency),
  ]);
}

/**
 * The documents of a period with their taxes as CSV (RFC 4180), a line for each tax, oldest first, page by page.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function* writeTaxCsv(
  deps: Deps,
  context: CallContext,
  { period }: { period: string },
): AsyncGenerator<string> {
  assertMay(context.actor, "invoices:read");
  const range = rangeOfPeriod(period);
  yield toCsvRow(TAX_COLUMNS);
  for (let after: TaxPlace | undefined; ; ) {
    const rows = await deps.transact.asOperator((tx) =>
      listTaxRows(tx, { ...range, cell: undefined, after, limit: PAGE }),
    );
    yield rows.map(toTaxLine).join("");
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) {
      return;
    }
    after = last;
  }
}
