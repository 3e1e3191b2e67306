import { isId } from "@turnpike/domain/ids/ids";
import { smaller } from "@turnpike/domain/money/bounds";
import { lockAccount } from "../accounts/accounts.store.ts";
import { takeCutOff } from "../accounts/take-cut-off.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { applyAttempt, PAYMENTS_CONTEXT } from "./apply-attempt.ts";
import { applyRefund } from "./apply-refund.ts";
import { findProvider } from "./find-provider.ts";
import { putPaymentMethod } from "./manage-method.ts";
import type { PaymentProviderName, ProviderObject, ReturnedMoney } from "./payment-provider.ts";
import { findReceived } from "./received-payments.store.ts";
import { recordRefundWithin } from "./record-refund.ts";
import { findPaymentOfAttempt, findRefund, listRefunds, type RefundRow } from "./refunds.store.ts";

type PaymentObject = Extract<ProviderObject, { kind: "payment" }>;

const WORDS = {
  refund: { kind: "provider", reason: "Refunded at the provider." },
  dispute: { kind: "dispute", reason: "The customer's bank took the money back." },
} as const;
const ENDINGS = {
  refund: { reason: "refund_failed", message: "The refund at the provider did not succeed." },
  dispute: { reason: "dispute_won", message: "It was won." },
} as const;

function sumOf(refunds: readonly RefundRow[]): bigint {
  return refunds.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

/**
 * Takes in what was given back without us: refunds that the operator made at the provider, and money that the customer's bank took back,
 * each by its own amount. What comes back of it, because a refund failed or a dispute was won, is put back.
 */
async function applyReturned(deps: BillingDeps, object: PaymentObject): Promise<void> {
  const { attemptId, returned } = object;
  const recordedTo = await takeCutOff(deps);
  const over = await deps.transact.asOperator(async (tx) => {
    const found = await findPaymentOfAttempt(tx, attemptId);
    const row = found === undefined ? undefined : await findReceived(tx, found.paymentId);
    if (row === undefined) {
      return [];
    }
    await lockAccount(tx, row);
    const refunds = await listRefunds(tx, [row.paymentId]);
    const standing = refunds.filter(({ state }) => state !== "failed");
    let left = BigInt(row.amount) - sumOf(standing);
    const ended: { refundId: string; kind: ReturnedMoney["kind"] }[] = [];
    for (const { reference, kind, refundId, amount, isTaken } of returned) {
      if (refunds.some((refund) => refund.refundId === refundId)) {
        continue;
      }
      const own = standing.filter((refund) => refund.reference === reference);
      if (!isTaken) {
        ended.push(...own.map((refund) => ({ refundId: refund.refundId, kind })));
        continue;
      }
      // No more than is left: a refund of ours may be on its way, and if it fails, the next look takes the rest.
      const missing = smaller(amount - sumOf(own), left);
      if (missing > 0n) {
        const request = { row, amount: missing, withCreditNote: false, reference, ...WORDS[kind] };
        await recordRefundWithin(deps, tx, PAYMENTS_CONTEXT, { recordedTo, request });
        left -= missing;
      }
    }
    return ended;
  });
  for (const { refundId, kind } of over) {
    await applyRefund(deps, { refundId, refund: { state: "failed", ...ENDINGS[kind] } });
  }
  if (over.length > 0) {
    // What came back may be what another one had lacked.
    await applyReturned(deps, object);
  }
}

/** Looks at a payment of which a refund has failed: what was given back elsewhere may have been recorded for less, as too little was left. */
async function lookAgain(deps: BillingDeps, refundId: string): Promise<void> {
  const refund = await deps.transact.asOperator((tx) => findRefund(tx, refundId));
  const provider = refund === undefined ? undefined : findProvider(deps, refund);
  const objectRef = refund?.paymentReference ?? "";
  const object = await provider?.notices?.fetch({ type: "", objectRef });
  if (object?.kind === "payment") {
    await applyReturned(deps, object);
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
      const { tenantId, environment, method, setUpAtMs } = object;
      if (!isId("tenant", tenantId)) {
        return false;
      }
      await putPaymentMethod(deps, { tenantId, environment, provider, method, setUpAtMs });
      return true;
    }
    case "refund": {
      const { refundId, refund } = object;
      const isOurs = await applyRefund(deps, { refundId, refund });
      if (isOurs && refund.state === "failed") {
        await lookAgain(deps, refundId);
      }
      return isOurs;
    }
    case "foreign":
      return false;
  }
}
