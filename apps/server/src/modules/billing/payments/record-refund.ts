import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { Share } from "@turnpike/domain/billing/payments/move-money";
import { formatMinor } from "@turnpike/domain/money/currency";
import { writeAudit } from "#modules/audit/index.ts";
import { changeAccountWithin } from "../accounts/change-account.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { listRefundSources, type PlannedRefund, planRefund } from "./plan-refund.ts";
import type { ReceivedRow } from "./received-payments.store.ts";
import { insertRefund, type RefundedInvoice, type RefundKind } from "./refunds.store.ts";

/** A refund that is recorded: the money is taken off the account, before or after the provider has it. */
type RefundRequest = {
  row: ReceivedRow;
  amount: bigint;
  kind: RefundKind;
  reason: string;
  withCreditNote: boolean;
  /** Of one that the provider made by itself. */
  reference: string | null;
};

/** What each invoice gives, as it is stored. */
function toRefundedWrites(
  planned: PlannedRefund | undefined,
  ids: readonly string[],
): RefundedInvoice[] {
  const { taken = [], reclaimed = [] } = planned ?? {};
  const sumOf = (shares: readonly Share[], index: number) =>
    shares.reduce((sum, { invoice, amount }) => (invoice === index ? sum + amount : sum), 0n);
  return [...new Set([...taken, ...reclaimed].map(({ invoice }) => invoice))].map((index) => ({
    invoiceId: ids[index] ?? "",
    amount: sumOf(taken, index).toString(),
    reclaimed: sumOf(reclaimed, index).toString(),
  }));
}

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
  const sources = await listRefundSources(tx, row, amount);
  const text = formatMinor(amount, currencyOf(currency));
  const { actor } = context;
  let planned: PlannedRefund | undefined;
  let ids: readonly string[] = [];
  await changeAccountWithin(deps, tx, context, {
    recordedTo,
    change: {
      isMoney: true,
      key,
      invoiceIds: sources.invoiceIds,
      step: (account, { atMs, loaded }) => {
        ids = loaded.invoiceIds;
        planned = planRefund(account, { amount, loaded, sources, withCreditNote, atMs });
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
          toRefundedWrites(planned, ids),
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
