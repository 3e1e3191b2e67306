import type { Invoice } from "@turnpike/contract/invoices";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { findInvoiceRow, listCreditNotes, listInvoiceLines } from "./invoices.store.ts";
import { listPayments } from "./payments.store.ts";
import { toInvoice } from "./to-invoice.ts";

/**
 * Reads an invoice with all of it.
 *
 * @param input.tenantId - Whose it must be; left out: that of any tenant, for the operator.
 * @throws {AppError} `RESOURCE_NOT_FOUND` (invoice).
 */
export async function readInvoice(
  tx: Tx,
  input: { invoiceId: string; tenantId?: TenantId },
): Promise<Invoice> {
  const { invoiceId } = input;
  const row = await findInvoiceRow(tx, input);
  if (row === undefined) {
    throw resourceNotFound("invoice");
  }
  return toInvoice(row, {
    lines: await listInvoiceLines(tx, invoiceId),
    notes: await listCreditNotes(tx, [invoiceId]),
    payments: await listPayments(tx, invoiceId),
  });
}

/** Gets an invoice of a tenant. @throws {AppError} `RESOURCE_NOT_FOUND` (tenant, invoice), `INSUFFICIENT_SCOPE`. */
export async function getInvoice(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  { tenantId, invoiceId }: { tenantId: TenantId; invoiceId: string },
): Promise<Invoice> {
  assertMayInTenant(context.actor, "billing:read", tenantId);
  return await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    return await readInvoice(tx, { tenantId, invoiceId });
  });
}
