import { isId } from "@turnpike/domain/ids/ids";
import { smaller } from "@turnpike/domain/money/bounds";
import { lockAccount } from "../accounts/accounts.store.ts";
import { takeCutOff } from "../accounts/take-cut-off.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { applyAttempt, PAYMENTS_CONTEXT } from "./apply-attempt.ts";
import { applyRefund } from "./apply-refund.ts";
import { putPaymentMethod } from "./manage-method.ts";
import type { PaymentProviderName, ProviderObject } from "./payment-provider.ts";
import { findReceived } from "./received-payments.store.ts";
import { recordRefundWithin } from "./record-refund.ts";
import { findPaymentOfAttempt, listRefunds } from "./refunds.store.ts";

type PaymentObject = Extract<ProviderObject, { kind: "payment" }>;

/**
 * Takes in what was given back without us: refunds that the operator made at the provider, and money that the customer's bank took back.
 * Of a dispute that is won the money comes back, and so does the payment.
 */
async function applyReturned(
  deps: BillingDeps,
  { attemptId, refunded, isDisputed }: PaymentObject,
): Promise<void> {
  const recordedTo = await takeCutOff(deps);
  const won = await deps.transact.asOperator(async (tx) => {
    const found = await findPaymentOfAttempt(tx, attemptId);
    const row = found === undefined ? undefined : await findReceived(tx, found.paymentId);
    if (row === undefined) {
      return [];
    }
    await lockAccount(tx, row);
    const refunds = await listRefunds(tx, [row.paymentId]);
    const standing = refunds.filter(({ state }) => state !== "failed");
    const sumOf = (rows: typeof refunds) =>
      rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    const disputes = standing.filter(({ kind }) => kind === "dispute");
    // Refunds of ours that are on their way are in the provider's sum, or will be.
    const unknown = refunded - (sumOf(standing) - sumOf(disputes));
    const left = BigInt(row.amount) - sumOf(standing);
    const record = async (amount: bigint, kind: "provider" | "dispute", reason: string) => {
      await recordRefundWithin(deps, tx, PAYMENTS_CONTEXT, {
        recordedTo,
        request: { row, amount, kind, reason, withCreditNote: false, reference: null },
      });
    };
    const elsewhere = left > 0n && unknown > 0n ? smaller(unknown, left) : 0n;
    if (elsewhere > 0n) {
      await record(elsewhere, "provider", "Refunded at the provider.");
    }
    // Both may have happened since the last look. A dispute takes all that is left, also what a refund that failed put back.
    if (isDisputed && left > elsewhere) {
      await record(left - elsewhere, "dispute", "The customer's bank took the money back.");
    }
    return isDisputed ? [] : disputes.map(({ refundId }) => refundId);
  });
  for (const refundId of won) {
    const refund = { state: "failed" as const, reason: "dispute_won", message: "It was won." };
    await applyRefund(deps, { refundId, refund });
  }
}

/**
 * Takes in the present state of an object of the provider: a payment with what was given back of it, a method, a refund. In any order,
 * and as often as it comes.
 *
 * @returns False for an object that is none of ours.
 */
export async function applyProviderObject(
  deps: BillingDeps,
  { provider, object }: { provider: PaymentProviderName; object: ProviderObject },
): Promise<boolean> {
  switch (object.kind) {
    case "payment": {
      const { attemptId, payment } = object;
      const applied = await applyAttempt(deps, { attemptId, payment });
      if (applied?.state === "succeeded") {
        await applyReturned(deps, object);
      }
      return applied !== undefined;
    }
    case "method": {
      const { tenantId, environment, method } = object;
      if (!isId("tenant", tenantId)) {
        return false;
      }
      await putPaymentMethod(deps, { tenantId, environment, provider, method });
      return true;
    }
    case "refund":
      return await applyRefund(deps, { refundId: object.refundId, refund: object.refund });
    case "foreign":
      return false;
  }
}
