import type { ReceivedPayment } from "@turnpike/contract/payments";
import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { formatMinor } from "@turnpike/domain/money/currency";
import { writeAudit } from "#modules/audit/index.ts";
import { lockAccount } from "../accounts/accounts.store.ts";
import { changeAccountWithin } from "../accounts/change-account.ts";
import { takeCutOff } from "../accounts/take-cut-off.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { readPayment } from "./list-payments.ts";
import { type PlannedRefund, planRefund, toShares } from "./plan-refund.ts";
import { type RefundInput, readRefundAmount } from "./preview-refund.ts";
import { findReceived, listShares, type ReceivedRow } from "./received-payments.store.ts";
import { insertRefund, type RefundKind } from "./refunds.store.ts";
import { sendRefund } from "./send-refund.ts";

/** A refund that is recorded: the money is taken off the account, before or after the provider has it. */
export type RefundRequest = {
  row: ReceivedRow;
  amount: bigint;
  kind: RefundKind;
  reason: string;
  withCreditNote: boolean;
  /** Of one that the provider made by itself. */
  reference: string | null;
};

/** Records a refund in the caller's transaction. Lock the account before. @returns Its id. */
export async function recordRefundWithin(
  deps: BillingDeps,
  tx: Tx,
  context: CallContext,
  { request, recordedTo }: { request: RefundRequest; recordedTo: Date },
): Promise<string> {
  const { row, amount, kind, reason, withCreditNote, reference } = request;
  const { tenantId, environment, paymentId, currency } = row;
  const key = { tenantId, environment };
  const refundId = deps.newId("refund");
  const rows = await listShares(tx, [paymentId]);
  const text = formatMinor(amount, currencyOf(currency));
  const { actor } = context;
  let planned: PlannedRefund | undefined;
  let ids: readonly string[] = [];
  await changeAccountWithin(deps, tx, context, {
    recordedTo,
    change: {
      key,
      invoiceIds: rows.map(({ invoiceId }) => invoiceId),
      step: (account, { atMs, loaded }) => {
        const shares = toShares(loaded, rows);
        ids = loaded.invoiceIds;
        planned = planRefund(account, { amount, shares, withCreditNote, atMs });
        return planned.after;
      },
      events: [{ kind: "payment.refunded", details: { amount: text, currency } }],
      noteReason: reason,
      alsoWrites: async () => {
        const now = deps.clock.now();
        const isMade = kind !== "operator";
        await insertRefund(
          tx,
          {
            ...key,
            refundId,
            paymentId,
            kind,
            amount: amount.toString(),
            currency,
            reason,
            state: isMade ? "succeeded" : "pending",
            fromBalance: (planned?.fromBalance ?? 0n).toString(),
            reference,
            requestedBy: `${actor.type}:${actor.id}`,
            now,
            checkAt: isMade ? null : now,
          },
          (planned?.taken ?? []).map((share) => ({
            invoiceId: ids[share.invoice] ?? "",
            amount: share.amount.toString(),
          })),
        );
        await writeAudit(deps, tx, context, {
          tenantId,
          action: "payment.refunded",
          entityType: "payment",
          entityId: paymentId,
          details: { environment, refundId, kind, amount: text, currency, reason },
        });
      },
    },
  });
  return refundId;
}

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
