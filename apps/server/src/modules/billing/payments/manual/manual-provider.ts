import { toCreditorReference } from "@turnpike/domain/billing/payments/check-digits";
import type { BillingDeps } from "../../billing-deps.ts";
import type { BankAccount } from "../../billing-settings.ts";
import {
  type CollectRequest,
  type PaymentProvider,
  type PaymentState,
  ProviderMisconfigured,
} from "../payment-provider.ts";
import { findTransfer } from "./transfers.store.ts";

/** How a customer pays by transfer: there is nothing to enter, so it is the same for all. */
export const TRANSFER = "transfer";

type ManualDeps = Pick<BillingDeps, "transact" | "billing">;

/** @throws {ProviderMisconfigured} */
function requireBank({ billing: { bank } }: ManualDeps): BankAccount {
  if (bank === undefined) {
    throw new ProviderMisconfigured(
      "No bank account for transfers is configured: set `billing.bank`",
    );
  }
  return bank;
}

/** Where money comes from is found in what people have recorded or matched: that is all that is known of a transfer. */
async function findPaid(
  { transact }: ManualDeps,
  attemptId: string,
): Promise<PaymentState | undefined> {
  const found = await transact.asOperator((tx) => findTransfer(tx, attemptId));
  return found === undefined
    ? undefined
    : {
        state: "succeeded",
        reference: found.reference,
        amount: BigInt(found.amount),
        atMs: found.receivedAt.getTime(),
      };
}

async function request(
  deps: ManualDeps,
  { attemptId, invoiceNumber }: CollectRequest,
): Promise<PaymentState> {
  const transfer = { bank: requireBank(deps), reference: toCreditorReference(invoiceNumber) };
  const paid = await findPaid(deps, attemptId);
  return paid ?? { state: "processing", reference: attemptId, transfer };
}

/**
 * Payments by transfer to the operator's bank account. The provider is the operator: people say what has arrived and what was sent. A
 * payment is a request to transfer, which the customer is free to follow, so none is ever declined. Money that arrived without a request
 * is received and refunded all the same, and without a bank account too.
 */
export function createManualProvider(deps: ManualDeps): PaymentProvider {
  return {
    name: "manual",
    setupMethod: async () => await Promise.resolve({ kind: "transfer", bank: requireBank(deps) }),
    collect: (asked) => request(deps, asked),
    lookUp: (asked) => request(deps, asked),
    // Nothing was drawn, so it can always be ended, unless the money is here.
    cancel: async (reference) =>
      (await findPaid(deps, reference)) ?? {
        state: "failed",
        reference,
        reason: "canceled",
        message: "The transfer is not waited for any more.",
        isHard: false,
      },
    // It ends when the operator says that it was sent.
    refund: ({ refundId }) => Promise.resolve({ state: "processing", reference: refundId }),
  };
}
