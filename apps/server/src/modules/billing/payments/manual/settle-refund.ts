import type { ReceivedPayment } from "@turnpike/contract/refunds";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { formatMinor } from "@turnpike/domain/money/currency";
import { writeAudit } from "#modules/audit/index.ts";
import { takeCutOff } from "../../accounts/take-cut-off.ts";
import type { BillingDeps } from "../../billing-deps.ts";
import { currencyOf } from "../../invoices/to-invoice.ts";
import { applyRefundWithin } from "../apply-refund.ts";
import { readPayment } from "../list-payments.ts";
import type { RefundState } from "../payment-provider.ts";
import { findRefund } from "../refunds.store.ts";

type Settlement = {
  refundId: string;
  state: "succeeded" | "failed";
  note?: string | undefined;
};

/**
 * Takes the operator's word on the refund of a transfer: it was sent, or it failed, also after it was sent. Saying it twice is saying it
 * once.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (refund), `CONFLICT` for one that a provider makes, or that has failed before,
 *   `INSUFFICIENT_SCOPE`.
 */
export async function settleRefund(
  deps: BillingDeps,
  context: CallContext,
  { refundId, state, note }: Settlement,
): Promise<ReceivedPayment> {
  assertMay(context.actor, "invoices:write");
  const recordedTo = await takeCutOff(deps);
  return await deps.transact.asOperator(async (tx) => {
    const found = await findRefund(tx, refundId);
    if (found === undefined) {
      throw resourceNotFound("refund");
    }
    const { paymentId } = found;
    const isOver = found.state === "failed" && state !== "failed";
    if (found.provider !== "manual" || isOver) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: isOver
          ? "This refund has failed and was put back: make another one."
          : "This refund is made by the provider of payments, which says how it ends.",
        extensions: { reason: isOver ? "already_failed" : "not_by_transfer" },
      });
    }
    const refund: RefundState =
      state === "succeeded"
        ? { state, reference: refundId }
        : { state, reason: "not_transferred", message: note ?? "It was not transferred." };
    const isNews = await applyRefundWithin(deps, tx, { refundId, refund, recordedTo });
    if (isNews) {
      const { tenantId, environment, currency, amount } = found;
      await writeAudit(deps, tx, context, {
        tenantId,
        action: state === "succeeded" ? "refund.transferred" : "refund.failed",
        entityType: "payment",
        entityId: paymentId,
        details: {
          ...{ environment, refundId, currency },
          amount: formatMinor(BigInt(amount), currencyOf(currency)),
          ...(note === undefined ? {} : { note }),
        },
      });
    }
    return await readPayment(tx, paymentId);
  });
}
