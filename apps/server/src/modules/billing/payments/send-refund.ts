import type { BillingDeps } from "../billing-deps.ts";
import { nextCheck } from "./apply-attempt.ts";
import { applyProviderObject } from "./apply-provider-object.ts";
import { applyRefund } from "./apply-refund.ts";
import { findProvider } from "./find-provider.ts";
import {
  ProviderDown,
  ProviderMisconfigured,
  type ProviderObject,
  type RefundState,
} from "./payment-provider.ts";
import { findRefund, listDueRefunds, putOffRefund } from "./refunds.store.ts";

const BATCH = 50;

/**
 * Asks the provider for a refund. Its id is the key there, so it may be asked for again. One that it refuses is done once what it says
 * of the payment is taken in too.
 */
export async function sendRefund(deps: BillingDeps, refundId: string): Promise<void> {
  const refund = await deps.transact.asOperator((tx) => findRefund(tx, refundId));
  if (refund === undefined || refund.state === "succeeded") {
    return;
  }
  const hasFailed = refund.state === "failed";
  const { environment, provider: name, paymentReference, amount, currency } = refund;
  const provider = findProvider(deps, { environment, provider: name });
  let state: RefundState = { state: "unknown" };
  let object: ProviderObject | undefined;
  try {
    const request = { refundId, paymentReference, amount: BigInt(amount), currency };
    const answer = hasFailed ? undefined : await provider?.refund(request);
    // Why it is refused may be news: a dispute, or a refund that was made at the provider.
    object =
      hasFailed || answer?.state === "failed"
        ? await provider?.notices?.fetch({ type: "", objectRef: paymentReference })
        : undefined;
    state = answer ?? state;
  } catch (error) {
    const isKnown = error instanceof ProviderDown || error instanceof ProviderMisconfigured;
    deps.logger[isKnown ? "warn" : "error"](
      { err: error, refundId },
      "A refund is asked for later",
    );
  }
  if (hasFailed && object === undefined) {
    const checkAt = nextCheck(deps.clock.now(), refund.checks);
    await deps.transact.asOperator((tx) => putOffRefund(tx, { refundId, checkAt }));
    return;
  }
  // A process that ends before the payment is looked at leaves the refund due, so that another one does.
  await applyRefund(deps, { refundId, refund: state, isLookedAfter: object !== undefined });
  if (object !== undefined) {
    await applyProviderObject(deps, { provider: name, object });
    await deps.transact.asOperator((tx) => putOffRefund(tx, { refundId, checkAt: null }));
  }
}

/** Asks again for refunds of which the outcome is not known. One that fails here is put off and holds up no other. */
export async function sendDueRefunds(deps: BillingDeps): Promise<void> {
  const now = deps.clock.now();
  const due = await deps.transact.asOperator((tx) => listDueRefunds(tx, { now, limit: BATCH }));
  for (const { refundId, checks } of due) {
    try {
      await sendRefund(deps, refundId);
    } catch (error) {
      deps.logger.error({ err: error, refundId }, "A refund could not be finished");
      const checkAt = nextCheck(deps.clock.now(), checks);
      await deps.transact.asOperator((tx) => putOffRefund(tx, { refundId, checkAt }));
    }
  }
}
