import type { UsageInvoice } from "@turnpike/contract/revenue";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { isId } from "@turnpike/domain/ids/ids";
import { formatMinor } from "@turnpike/domain/money/currency";
import type { AppServices } from "#platform/app-services.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { monthOf } from "./month-of.ts";
import { listUsageInvoiceRows, type SizePlace } from "./revenue.store.ts";

type UsageInvoicesInput = {
  month: string;
  currency: string;
  cursor?: string | undefined;
  limit: number;
};

function parsePlace(text: string): SizePlace | undefined {
  const [, size = "", id = ""] = /^(-?\d{1,30})\.(\w+)$/.exec(text) ?? [];
  return isId("invoice", id) ? { size, id } : undefined;
}

/**
 * Lists the invoices of a month with what they charge for usage, the largest first.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` (cursor).
 */
export async function listUsageInvoices(
  deps: Pick<AppServices, "transact" | "clock">,
  context: CallContext,
  { month, currency: code, cursor, limit }: UsageInvoicesInput,
): Promise<{ items: UsageInvoice[]; nextCursor: string | null }> {
  assertMay(context.actor, "invoices:read");
  const after = parseCursor(cursor, parsePlace);
  const range = monthOf(month, deps.clock.now());
  const rows = await deps.transact.asOperator((tx) =>
    listUsageInvoiceRows(tx, { currency: code, ...range, after, limit: limit + 1 }),
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const currency = currencyOf(code);
  return {
    items: page.map(({ issuedAt, usage, ...row }) => ({
      ...row,
      issuedAt: issuedAt.toISOString(),
      usage: formatMinor(BigInt(usage), currency),
    })),
    nextCursor:
      rows.length > limit && last !== undefined ? `${last.usage}.${last.invoiceId}` : null,
  };
}
