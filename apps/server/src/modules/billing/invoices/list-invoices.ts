import type { InvoiceSummary } from "@turnpike/contract/invoices";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { type InvoiceState, listInvoiceRows } from "./invoices.store.ts";
import { toSummary } from "./to-invoice.ts";

type InvoicesPage = { items: InvoiceSummary[]; nextCursor: string | null };

/** Lists the invoices of a tenant, newest first. @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`. */
export async function listInvoices(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  input: AccountKey & {
    state?: InvoiceState | undefined;
    cursor?: string | undefined;
    limit: number;
  },
): Promise<InvoicesPage> {
  const { tenantId, environment, state, cursor, limit } = input;
  assertMayInTenant(context.actor, "billing:read", tenantId);
  const beforeId = parseIdCursor("invoice", cursor);
  const rows = await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    return await listInvoiceRows(
      tx,
      { tenantId, environment },
      { state, beforeId, limit: limit + 1 },
    );
  });
  const items = rows.slice(0, limit).map(toSummary);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.invoiceId ?? null) : null };
}
