import type { REVENUE_ROWS, RevenueCustomer } from "@turnpike/contract/revenue";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { movementKind } from "@turnpike/domain/billing/revenue/movements";
import { isId } from "@turnpike/domain/ids/ids";
import { formatMinor } from "@turnpike/domain/money/currency";
import type { AppServices } from "#platform/app-services.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { monthOf } from "./month-of.ts";
import {
  type CustomerFilter,
  type CustomerRow,
  listCustomers,
  type SizePlace,
} from "./revenue.store.ts";

export type RevenueCustomersInput = {
  month: string;
  currency: string;
  rows: (typeof REVENUE_ROWS)[number];
  cursor?: string | undefined;
  limit: number;
};

function parsePlace(text: string): SizePlace | undefined {
  const [, size = "", id = ""] = /^(\d{1,30})\.(\w+)$/.exec(text) ?? [];
  return isId("tenant", id) ? { size, id } : undefined;
}

function toFilter(rows: RevenueCustomersInput["rows"]): CustomerFilter {
  if (rows === "closing") {
    return { of: "closing" };
  }
  return rows === "moved" ? { of: "moved" } : { of: "moved", kind: rows };
}

function toCustomer(row: CustomerRow, code: string): RevenueCustomer {
  const { tenantId, tenantName, planId, hadBefore } = row;
  const currency = currencyOf(code);
  const [before, after] = [BigInt(row.before), BigInt(row.after)];
  return {
    tenantId,
    tenantName,
    planId,
    before: formatMinor(before, currency),
    after: formatMinor(after, currency),
    change: formatMinor(after - before, currency),
    kind: movementKind({ before, after, hadBefore }) ?? null,
  };
}

function toCursor({ before, after, tenantId }: CustomerRow, { of }: CustomerFilter): string {
  const change = BigInt(after) - BigInt(before);
  const size = of === "closing" ? BigInt(after) : change < 0n ? -change : change;
  return `${size.toString()}.${tenantId}`;
}

/**
 * Lists the customers behind a figure of a month, the largest first.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` (cursor).
 */
export async function listRevenueCustomers(
  deps: Pick<AppServices, "transact" | "clock">,
  context: CallContext,
  { month, currency, rows: asked, cursor, limit }: RevenueCustomersInput,
): Promise<{ items: RevenueCustomer[]; nextCursor: string | null }> {
  assertMay(context.actor, "invoices:read");
  const after = parseCursor(cursor, parsePlace);
  const filter = toFilter(asked);
  const range = monthOf(month, deps.clock.now());
  const rows = await deps.transact.asOperator((tx) =>
    listCustomers(tx, { currency, ...range, filter, after, limit: limit + 1 }),
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map((row) => toCustomer(row, currency)),
    nextCursor: rows.length > limit && last !== undefined ? toCursor(last, filter) : null,
  };
}
