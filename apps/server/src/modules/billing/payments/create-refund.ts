import type { ReceivedPayment } from "@turnpike/contract/refunds";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { lockAccount } from "../accounts/accounts.store.ts";
import { takeCutOff } from "../accounts/take-cut-off.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { readPayment } from "./list-payments.ts";
import { type RefundInput, readRefundAmount } from "./preview-refund.ts";
import { findReceived } from "./received-payments.store.ts";
import { recordRefundWithin } from "./record-refund.ts";
import { sendRefund } from "./send-refund.ts";

/**
 * Refunds a payment: the account changes first, so that no more is given back than is left, then the provider is asked. A refund that
 * fails there is put back.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (payment), `CONFLICT` for more than is left, `INVALID_REQUEST`, `INSUFFICIENT_SCOPE`.
 */
export async function createRefund(
  deps: BillingDeps,
  context: CallContext,
  { reason, ...input }: RefundInput & { reason: string },
): Promise<ReceivedPayment> {
  assertMay(context.actor, "invoices:write");
  const { paymentId, withCreditNote } = input;
  const recordedTo = await takeCutOff(deps);
  const refundId = await deps.transact.asOperator(async (tx) => {
    const found = await findReceived(tx, paymentId);
    if (found === undefined) {
      throw resourceNotFound("payment");
    }
    await lockAccount(tx, found);
    const row = (await findReceived(tx, paymentId)) ?? found;
    const amount = readRefundAmount(row, input);
    return await recordRefundWithin(deps, tx, context, {
      recordedTo,
      request: { row, amount, kind: "operator", reason, withCreditNote, reference: null },
    });
  });
  await sendRefund(deps, refundId);
  return await deps.transact.asOperator((tx) => readPayment(tx, paymentId));
}
