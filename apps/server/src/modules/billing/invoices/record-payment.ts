import type { Invoice } from "@turnpike/contract/invoices";
import type { CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { takeCutOff } from "../accounts/take-cut-off.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { receivePaymentWithin } from "../payments/receive-payment.ts";
import { findForOperator } from "./change-invoice.ts";
import { readInvoice } from "./get-invoice.ts";
import { currencyOf } from "./to-invoice.ts";
import { toMinorAmount } from "./to-minor-amount.ts";

type PaymentInput = {
  invoiceId: string;
  amount: string;
  paidAt?: string | undefined;
  /** The same one counts once for an invoice. */
  reference: string;
};

function readPaidAt({ paidAt }: PaymentInput, now: Date): Date {
  const at = paidAt === undefined ? now : new Date(paidAt);
  if (at > now) {
    const message = "Must not be in the future.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/paidAt", message }],
    });
  }
  return at;
}

/**
 * Records money that was received for an invoice. What is beyond the amount due becomes balance, which the next invoice takes.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (invoice), `INVALID_REQUEST`, `INSUFFICIENT_SCOPE`.
 */
export async function recordPayment(
  deps: BillingDeps,
  context: CallContext,
  input: PaymentInput,
): Promise<Invoice> {
  const { invoiceId, reference } = input;
  const {
    currency: code,
    aheadMs,
    tenantId,
    environment,
  } = await findForOperator(deps, context, invoiceId);
  const minor = toMinorAmount(input.amount, { currency: currencyOf(code), pointer: "/amount" });
  const paidAt = readPaidAt(input, new Date(deps.clock.now().getTime() + aheadMs));
  const recordedTo = await takeCutOff(deps);
  return await deps.transact.asOperator(async (tx) => {
    await receivePaymentWithin(deps, tx, context, {
      recordedTo,
      receipt: {
        key: { tenantId, environment },
        provider: "manual",
        // A reference of the operator's own counts once for an invoice, and may be used for another one.
        reference: `${invoiceId} ${reference}`,
        amount: minor,
        currency: code,
        receivedAt: paidAt,
        invoiceIds: [invoiceId],
        note: reference,
      },
    });
    return await readInvoice(tx, { invoiceId });
  });
}
