import type { Invoice } from "@turnpike/contract/billing";
import type { CallContext } from "@turnpike/domain/access/actor";
import { doStep } from "@turnpike/domain/billing/steps/do-step";
import { AppError } from "@turnpike/domain/errors/app-error";
import { formatMinor } from "@turnpike/domain/money/currency";
import type { BillingDeps } from "../billing-deps.ts";
import { changeInvoice, findForOperator } from "./change-invoice.ts";
import { readInvoice } from "./get-invoice.ts";
import { insertPayment } from "./payments.store.ts";
import { currencyOf } from "./to-invoice.ts";
import { toMinorAmount } from "./to-minor-amount.ts";

type PaymentInput = {
  invoiceId: string;
  amount: string;
  paidAt?: string | undefined;
  /** The same one counts once for an invoice. */
  reference: string;
};

/** A payment with this reference is recorded already: nothing is written. */
class RecordedBefore extends Error {
  override readonly name = "RecordedBefore";
}

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
  const { currency: code, aheadMs } = await findForOperator(deps, context, invoiceId);
  const currency = currencyOf(code);
  const minor = toMinorAmount(input.amount, { currency, pointer: "/amount" });
  const paidAt = readPaidAt(input, new Date(deps.clock.now().getTime() + aheadMs));
  const amount = formatMinor(minor, currency);
  const { actor } = context;
  try {
    await changeInvoice(deps, context, {
      invoiceId,
      action: "invoice.payment_recorded",
      event: "invoice.paid",
      details: { amount, currency: code, reference },
      step: (account, { index, atMs }) =>
        doStep(account, { members: { do: "pay", invoice: index, amount }, atMs }),
      alsoWrites: async (tx, { tenantId, environment }) => {
        const isNew = await insertPayment(tx, {
          tenantId,
          environment,
          invoiceId,
          paymentId: deps.newId("payment"),
          amount: minor.toString(),
          paidAt,
          reference,
          recordedBy: `${actor.type}:${actor.id}`,
        });
        if (!isNew) {
          throw new RecordedBefore();
        }
      },
    });
  } catch (error) {
    if (!(error instanceof RecordedBefore)) {
      throw error;
    }
  }
  return await deps.transact.asOperator((tx) => readInvoice(tx, { invoiceId }));
}
