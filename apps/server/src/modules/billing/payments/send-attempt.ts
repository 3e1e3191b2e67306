import type { BillingDeps } from "../billing-deps.ts";
import { applyAttempt, nextCheck } from "./apply-attempt.ts";
import {
  type AttemptRow,
  insertAttempts,
  isRefunded,
  lockAttempt,
  markSent,
  updateAttempt,
} from "./attempts.store.ts";
import { isOutdated } from "./is-outdated.ts";
import {
  type CollectRequest,
  type PaymentProvider,
  type PaymentState,
  ProviderDown,
  ProviderMisconfigured,
} from "./payment-provider.ts";

/** The longest that a call to a provider takes: until then, an attempt that was sent is under way. */
const CALL_MS = 2 * 60_000;

export function toRequest(
  attempt: AttemptRow,
  onSession: CollectRequest["onSession"],
): CollectRequest {
  const { attemptId, tenantId, environment, invoiceId, invoiceNumber } = attempt;
  const { currency, customerRef, methodRef } = attempt;
  return {
    attemptId,
    tenantId,
    environment,
    invoiceId,
    invoiceNumber,
    amount: BigInt(attempt.amount),
    currency,
    customerRef,
    methodRef,
    onSession,
  };
}

/** Ends an attempt that no provider was asked for. */
export function notMade(reason: "not_open" | "superseded" | "not_received"): PaymentState {
  const messages = {
    not_open: "The invoice was settled before.",
    superseded: "Another amount was due by then.",
    not_received: "The provider never received it.",
  };
  return {
    state: "failed",
    reference: undefined,
    reason,
    message: messages[reason],
    isHard: false,
  };
}

/**
 * Ends a payment that waits, for its customer or for money, where it is not what it should be any more: another amount is due, or there is another way
 * to pay. Confirmed all the same, it would charge too much, or a card that the customer has replaced.
 *
 * @returns True when it was such a one: what there is now may be begun.
 * @throws {ProviderDown} {@link ProviderMisconfigured}
 */
export async function endOutdated(
  deps: BillingDeps,
  provider: PaymentProvider,
  attempt: AttemptRow,
): Promise<boolean> {
  const { attemptId, state, reference, due } = attempt;
  const isWaiting = state === "action_required" || state === "processing";
  if (!isWaiting || reference === null || !isOutdated(attempt)) {
    return false;
  }
  const ended = await provider.cancel(reference);
  if (ended.state === "processing") {
    // Too late: it ends as it ends.
    await applyAttempt(deps, { attemptId, payment: ended });
    return false;
  }
  const isSettled = BigInt(due) === 0n;
  await applyAttempt(deps, {
    attemptId,
    payment: ended.state === "failed" && !isSettled ? notMade("superseded") : ended,
  });
  return true;
}

/**
 * Notes that an attempt is handed over now, after a look at its invoice: it is still open, and the amount is what is due. One of
 * another amount ends, and another begins, unless money of the invoice was given back.
 *
 * @returns The attempt to send; `undefined` when there is none, or another worker sends it.
 */
async function takeToSend(deps: BillingDeps, attemptId: string): Promise<AttemptRow | undefined> {
  return await deps.transact.asOperator(async (tx) => {
    const attempt = await lockAttempt(tx, attemptId);
    if (attempt === undefined || attempt.state !== "pending" || attempt.sentAt !== null) {
      return;
    }
    const now = deps.clock.now();
    if (attempt.due !== attempt.amount) {
      const reason = BigInt(attempt.due) === 0n ? "not_open" : "superseded";
      const { message } = notMade(reason) as Extract<PaymentState, { state: "failed" }>;
      await updateAttempt(tx, {
        attemptId,
        state: "failed",
        reference: null,
        reason,
        message,
        isHard: false,
        now,
        checkAt: null,
      });
      const { invoiceId, cause, carries } = attempt;
      // Money that was given back meanwhile is charged again for a person only.
      if (cause !== "person" && (await isRefunded(tx, invoiceId))) {
        return;
      }
      await insertAttempts(tx, [{ attemptId: deps.newId("attempt"), invoiceId, cause, carries }], {
        now,
        isByTransfer: attempt.provider === "manual",
      });
      return;
    }
    const checkAt = new Date(now.getTime() + CALL_MS);
    await markSent(tx, { attemptId, sentAt: now, checkAt, now });
    return attempt;
  });
}

/**
 * Hands an attempt to the provider, once: a look at the invoice and a note come before, and what is known afterwards is applied. When
 * the process ends in between, the attempt is looked up.
 *
 * @returns What the provider said; `undefined` when nothing was sent.
 * @throws {ProviderDown} {@link ProviderMisconfigured} The provider took nothing: it is sent later.
 */
export async function sendAttempt(
  deps: BillingDeps,
  provider: PaymentProvider,
  { attemptId, onSession }: { attemptId: string; onSession: CollectRequest["onSession"] },
): Promise<{ attempt: AttemptRow; payment: PaymentState } | undefined> {
  const attempt = await takeToSend(deps, attemptId);
  if (attempt === undefined) {
    return;
  }
  let payment: PaymentState;
  try {
    payment = await provider.collect(toRequest(attempt, onSession));
  } catch (error) {
    if (error instanceof ProviderDown || error instanceof ProviderMisconfigured) {
      const now = deps.clock.now();
      const checkAt = nextCheck(now, attempt.checks);
      await deps.transact.asOperator((tx) =>
        markSent(tx, { attemptId, sentAt: null, checkAt, now }),
      );
      throw error;
    }
    deps.logger.error({ err: error, attemptId }, "An attempt to collect ended without an answer");
    payment = { state: "unknown" };
  }
  const applied = await applyAttempt(deps, { attemptId, payment });
  return applied === undefined ? undefined : { attempt: applied, payment };
}
