import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { endCalendar, noteFailedPayment } from "@turnpike/domain/billing/payments/move-money";
import { lockAccount } from "../accounts/accounts.store.ts";
import { type ChangedAccount, changeAccountWithin } from "../accounts/change-account.ts";
import { takeCutOff } from "../accounts/take-cut-off.ts";
import type { BillingDeps } from "../billing-deps.ts";
import {
  type AttemptRow,
  type AttemptState,
  findAttempt,
  lockAttempt,
  NOT_MADE,
  updateAttempt,
} from "./attempts.store.ts";
import { listCarried } from "./carried.store.ts";
import { isOutdated } from "./is-outdated.ts";
import { notifyOfAuthentication, notifyOfFailure } from "./notify-of-payments.ts";
import { AMOUNT_TOO_SMALL, CURRENCY_NOT_SUPPORTED, type PaymentState } from "./payment-provider.ts";
import { receivePaymentWithin } from "./receive-payment.ts";

const MINUTE_MS = 60_000;
const CHECK_MAX_MS = 6 * 60 * MINUTE_MS;

export const PAYMENTS_CONTEXT: CallContext = {
  actor: { type: "system", id: "payments" },
  requestId: "billing.collect",
};

/** When something is looked at again: after a minute, then each time twice as long, and every six hours at least. */
export function nextCheck(now: Date, checks: number): Date {
  return new Date(now.getTime() + Math.min(MINUTE_MS * 2 ** Math.min(checks, 20), CHECK_MAX_MS));
}

/** What is known only grows: success is final, and a failure ends it unless the money came after all. */
const RANKS: Readonly<Record<AttemptState, number>> = {
  pending: 0,
  unknown: 1,
  action_required: 2,
  processing: 3,
  failed: 4,
  succeeded: 5,
};

function isNews(before: AttemptRow, { state }: PaymentState): boolean {
  const isOver = before.state === "failed" || before.state === "succeeded";
  // A processing payment may come to need the customer again; one that has ended ended.
  return isOver ? RANKS[state] > RANKS[before.state] : state !== "unknown";
}

/** Lets an invoice wait for the next one. A calendar that it had would stop the customer for what is not worth a charge. */
async function carry(
  deps: BillingDeps,
  tx: Tx,
  { attempt, recordedTo }: { attempt: AttemptRow; recordedTo: Date },
): Promise<void> {
  const { tenantId, environment, invoiceId } = attempt;
  await changeAccountWithin(deps, tx, PAYMENTS_CONTEXT, {
    recordedTo,
    change: {
      isMoney: true,
      key: { tenantId, environment },
      invoiceIds: [invoiceId],
      step: (account, { loaded }) => endCalendar(account, loaded.invoiceIds.indexOf(invoiceId)),
      events: [{ kind: "payment.carried", details: { invoiceId } }],
      noteReason: "",
    },
  });
}

async function fail(
  deps: BillingDeps,
  tx: Tx,
  {
    attempt,
    failure,
    recordedTo,
  }: {
    attempt: AttemptRow;
    failure: Extract<PaymentState, { state: "failed" }>;
    recordedTo: Date;
  },
): Promise<void> {
  const { tenantId, environment, invoiceId } = attempt;
  const key = { tenantId, environment };
  // A payment that a person began is theirs to try again: it starts nothing and uses up nothing. Nor does one that was never refused.
  const isRefused =
    !NOT_MADE.some((reason) => reason === failure.reason) &&
    // What we have ended ourselves may be heard of by a notice first.
    !(failure.reason === "canceled" && isOutdated(attempt));
  if (failure.reason === AMOUNT_TOO_SMALL) {
    await carry(deps, tx, { attempt, recordedTo });
    return;
  }
  if (attempt.cause === "person" || !isRefused || BigInt(attempt.due) === 0n) {
    return;
  }
  if (failure.reason === CURRENCY_NOT_SUPPORTED) {
    await notifyOfFailure(deps, tx, { attempt, failure });
    return;
  }
  const changed: ChangedAccount = await changeAccountWithin(deps, tx, PAYMENTS_CONTEXT, {
    recordedTo,
    change: {
      isMoney: true,
      key,
      invoiceIds: [invoiceId],
      step: (account, { atMs, loaded }) => {
        const invoice = loaded.invoiceIds.indexOf(invoiceId);
        const dueAtMs = loaded.invoicesDueMs[invoice];
        return noteFailedPayment(account, { invoice, atMs, dueAtMs, isHard: failure.isHard });
      },
      events: [{ kind: "payment.failed", details: { invoiceId, reason: failure.reason } }],
      noteReason: "",
    },
  });
  await notifyOfFailure(deps, tx, { attempt, failure, changed });
}

/** The invoices that an attempt pays. */
async function listPaid(tx: Tx, { invoiceId, carries, ...key }: AttemptRow): Promise<string[]> {
  const carried = carries ? await listCarried(tx, key) : [];
  return [invoiceId, ...carried.filter((each) => each !== invoiceId)];
}

/** A customer who is paying now is on the page already. */
async function tellIfAbsent(deps: BillingDeps, tx: Tx, attempt: AttemptRow): Promise<void> {
  if (attempt.cause !== "person") {
    await notifyOfAuthentication(deps, tx, attempt);
  }
}

/**
 * Takes in what is known of an attempt, in one transaction with what follows from it: a payment is received and applied, a failure
 * begins or continues the calendar. What is known already changes nothing, in any order and however often it comes.
 *
 * @returns The attempt as it is now; `undefined` for one that there is not.
 */
export async function applyAttempt(
  deps: BillingDeps,
  { attemptId, payment }: { attemptId: string; payment: PaymentState },
): Promise<AttemptRow | undefined> {
  const recordedTo = await takeCutOff(deps);
  return await deps.transact.asOperator(async (tx) => {
    const found = await findAttempt(tx, attemptId);
    if (found === undefined) {
      return;
    }
    const { tenantId, environment, provider, currency } = found;
    await lockAccount(tx, { tenantId, environment });
    const attempt = (await lockAttempt(tx, attemptId)) ?? found;
    const now = deps.clock.now();
    if (isNews(attempt, payment)) {
      const isOver = payment.state === "succeeded" || payment.state === "failed";
      await updateAttempt(tx, {
        attemptId,
        state: payment.state,
        reference: "reference" in payment ? (payment.reference ?? null) : null,
        reason: payment.state === "failed" ? payment.reason : null,
        message: payment.state === "failed" ? payment.message : null,
        isHard: payment.state === "failed" && payment.isHard,
        now,
        checkAt: isOver ? null : nextCheck(now, attempt.checks),
      });
      if (payment.state === "succeeded") {
        await receivePaymentWithin(deps, tx, PAYMENTS_CONTEXT, {
          recordedTo,
          receipt: {
            key: { tenantId, environment },
            provider,
            reference: payment.reference,
            amount: payment.amount,
            currency,
            receivedAt: new Date(payment.atMs),
            // What others carried to it comes after it.
            invoiceIds: await listPaid(tx, attempt),
            details: { attemptId },
          },
        });
      } else if (payment.state === "failed" && attempt.state !== "failed") {
        await fail(deps, tx, { attempt, failure: payment, recordedTo });
      } else if (payment.state === "action_required" && attempt.state !== "action_required") {
        await tellIfAbsent(deps, tx, attempt);
      }
    } else if (attempt.state !== "failed" && attempt.state !== "succeeded") {
      // No answer that says: it is looked up again, and never sent again.
      await updateAttempt(tx, {
        ...attempt,
        state: attempt.state === "pending" ? "unknown" : attempt.state,
        isHard: false,
        now,
        checkAt: nextCheck(now, attempt.checks),
      });
    }
    return await findAttempt(tx, attemptId);
  });
}
