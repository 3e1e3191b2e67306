import type { InvoiceSummary } from "@turnpike/contract/invoices";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { isId, type TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { formatMinor } from "@turnpike/domain/money/currency";
import type { AppServices } from "#platform/app-services.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import {
  type InvoicePlace,
  type InvoiceState,
  listMatching,
  type SumsRow,
  sumMatching,
} from "./invoices.store.ts";
import { currencyOf, toSummary } from "./to-invoice.ts";

type AllInvoicesInput = {
  environment: Environment;
  state?: InvoiceState | undefined;
  tenantId?: TenantId | undefined;
  isOverdue?: boolean | undefined;
  currency?: string | undefined;
  search?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

type Sums = { currency: string; count: number; total: string; due: string };
type AllInvoicesPage = { items: InvoiceSummary[]; nextCursor: string | null; sums: Sums[] };

/** A place in the list: when an invoice was issued, and which. */
function parsePlace(text: string): InvoicePlace | undefined {
  const [, ms = "", invoiceId = ""] = /^(\d{1,15})\.(\w+)$/.exec(text) ?? [];
  return isId("invoice", invoiceId) ? { issuedAt: new Date(Number(ms)), invoiceId } : undefined;
}

function toCursor({ issuedAt, invoiceId }: InvoicePlace): string {
  return `${String(issuedAt.getTime())}.${invoiceId}`;
}

function toSums({ currency: code, count, total, due }: SumsRow): Sums {
  const currency = currencyOf(code);
  return {
    currency: code,
    count,
    total: formatMinor(BigInt(total), currency),
    due: formatMinor(BigInt(due), currency),
  };
}

function toDate(instant: string | undefined): Date | undefined {
  return instant === undefined ? undefined : new Date(instant);
}

/**
 * Lists the invoices of all tenants that match, newest first, with the sums of all of them by currency. For the operator's actors.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function listAllInvoices(
  deps: Pick<AppServices, "transact" | "clock">,
  context: CallContext,
  input: AllInvoicesInput,
): Promise<AllInvoicesPage> {
  assertMay(context.actor, "invoices:read");
  const { cursor, limit, from, to, ...rest } = input;
  const after = parseCursor(cursor, parsePlace);
  const filters = { ...rest, from: toDate(from), to: toDate(to), now: deps.clock.now() };
  const { rows, sums } = await deps.transact.asOperator(async (tx) => ({
    rows: await listMatching(tx, filters, { after, limit: limit + 1 }),
    sums: await sumMatching(tx, filters),
  }));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(toSummary),
    nextCursor: rows.length > limit && last !== undefined ? toCursor(last) : null,
    sums: sums.map(toSums),
  };
}
