import type { Tx } from "@turnpike/db/client";
import { putMoneyBack } from "@turnpike/domain/billing/payments/move-money";
import { lockAccount } from "../accounts/accounts.store.ts";
import { changeAccountWithin } from "../accounts/change-account.ts";
import { takeCutOff } from "../accounts/take-cut-off.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { nextCheck, PAYMENTS_CONTEXT } from "./apply-attempt.ts";
import type { RefundState } from "./payment-provider.ts";
import { findRefund, listRefundedInvoices, type RefundRow, updateRefund } from "./refunds.store.ts";

export type KnownRefund = {
  refundId: string;
  refund: RefundState;
  /** True when its payment is still to be looked at: it stays due until then. */
  isLookedAfter?: boolean;
};

/** Puts back what a refund took, because it has failed. @returns What went to the balance of invoices that are paid by now. */
async function putBack(
  deps: BillingDeps,
  tx: Tx,
  { refund, recordedTo }: { refund: RefundRow; recordedTo: Date },
): Promise<bigint> {
  const { tenantId, environment, refundId, currency } = refund;
  const rows = await listRefundedInvoices(tx, refundId);
  let returned = 0n;
  await changeAccountWithin(deps, tx, PAYMENTS_CONTEXT, {
    recordedTo,
    change: {
      isMoney: true,
      key: { tenantId, environment },
      invoiceIds: rows.map(({ invoiceId }) => invoiceId),
      step: (account, { loaded }) => {
        const sharesOf = (part: "amount" | "reclaimed") =>
          rows.map(({ invoiceId, ...row }) => ({
            invoice: loaded.invoiceIds.indexOf(invoiceId),
            amount: BigInt(row[part]),
          }));
        const { after, returnedToBalance } = putMoneyBack(account, {
          fromBalance: BigInt(refund.fromBalance),
          taken: sharesOf("amount"),
          reclaimed: sharesOf("reclaimed"),
        });
        returned = returnedToBalance;
        return after;
      },
      events: [{ kind: "payment.refund_failed", details: { currency } }],
      noteReason: "",
    },
  });
  return returned;
}

/**
 * {@link applyRefund} in the caller's transaction, which must be one of the operator role.
 *
 * @returns True when it was news; `undefined` for a refund that there is not.
 */
export async function applyRefundWithin(
  deps: BillingDeps,
  tx: Tx,
  {
    refundId,
    refund: state,
    recordedTo,
    isLookedAfter = false,
  }: KnownRefund & { recordedTo: Date },
): Promise<boolean | undefined> {
  const found = await findRefund(tx, refundId);
  if (found === undefined) {
    return;
  }
  await lockAccount(tx, found);
  const refund = (await findRefund(tx, refundId)) ?? found;
  // A refund that succeeded can still come back; one that failed is over.
  const isOver = refund.state === "failed";
  if (isOver || (refund.state === "succeeded" && state.state !== "failed")) {
    return false;
  }
  const returned = state.state === "failed" ? await putBack(deps, tx, { refund, recordedTo }) : 0n;
  const now = deps.clock.now();
  const isFinal = state.state === "failed" || state.state === "succeeded";
  // How a transfer ends is said by a person: asking again tells nothing.
  const isAsked = !isFinal && refund.provider !== "manual";
  await updateRefund(tx, {
    refundId,
    state: state.state,
    reference: "reference" in state ? state.reference : null,
    message: state.state === "failed" ? state.message : null,
    returnedToBalance: returned.toString(),
    now,
    checkAt: isAsked || isLookedAfter ? nextCheck(now, refund.checks) : null,
  });
  return true;
}

/**
 * Takes in what is known of a refund. One that fails is put back, in one transaction with its state.
 *
 * @returns False for one that there is not.
 */
export async function applyRefund(deps: BillingDeps, known: KnownRefund): Promise<boolean> {
  const recordedTo = await takeCutOff(deps);
  return await deps.transact.asOperator(
    async (tx) => (await applyRefundWithin(deps, tx, { ...known, recordedTo })) !== undefined,
  );
}
