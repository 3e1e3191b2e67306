import type { Invoice } from "@turnpike/contract/invoices";
import type { CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { BillingDeps } from "../billing-deps.ts";
import { changeInvoice } from "./change-invoice.ts";
import { writeOff } from "./documents.store.ts";
import { readInvoice } from "./get-invoice.ts";

/**
 * Writes an open invoice off. What is due on it stays due, and a payment still settles it, but it blocks the tenant no longer.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (invoice), `CONFLICT` unless it is open, `INSUFFICIENT_SCOPE`.
 */
export async function markUncollectible(
  deps: BillingDeps,
  context: CallContext,
  { invoiceId, reason }: { invoiceId: string; reason: string },
): Promise<Invoice> {
  await changeInvoice(deps, context, {
    invoiceId,
    action: "invoice.uncollectible",
    details: { reason },
    writesOff: true,
    // What is not waited for any more is not attempted either.
    step: (account, { index }) => ({
      ...account,
      calendars: account.calendars.filter(({ invoice }) => invoice !== index),
    }),
    alsoWrites: async (tx, { number }) => {
      if (!(await writeOff(tx, { invoiceId, now: deps.clock.now() }))) {
        throw new AppError({
          code: "CONFLICT",
          publicMessage: `${number} is not open: there is nothing to write off.`,
          extensions: { reason: "not_open" },
        });
      }
    },
  });
  return await deps.transact.asOperator((tx) => readInvoice(tx, { invoiceId }));
}
