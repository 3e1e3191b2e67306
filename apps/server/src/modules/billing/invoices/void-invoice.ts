import type { Invoice } from "@turnpike/contract/invoices";
import type { CallContext } from "@turnpike/domain/access/actor";
import { doStep } from "@turnpike/domain/billing/steps/do-step";
import type { BillingDeps } from "../billing-deps.ts";
import { changeInvoice } from "./change-invoice.ts";
import { readInvoice } from "./get-invoice.ts";

/**
 * Voids an invoice on which nothing was paid or credited: nothing is due on it any more, what it took from the balance comes back, and
 * its number stays.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (invoice), `CONFLICT`, `INSUFFICIENT_SCOPE`.
 */
export async function voidInvoice(
  deps: BillingDeps,
  context: CallContext,
  { invoiceId, reason }: { invoiceId: string; reason: string },
): Promise<Invoice> {
  await changeInvoice(deps, context, {
    invoiceId,
    action: "invoice.voided",
    details: { reason },
    step: (account, { index, atMs }) =>
      doStep(account, { members: { do: "void", invoice: index }, atMs }),
  });
  return await deps.transact.asOperator((tx) => readInvoice(tx, { invoiceId }));
}
