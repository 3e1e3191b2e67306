import type { Account } from "../account/account.ts";
import type { CreditNote } from "../credit-notes/credit-note.ts";
import type { Invoice } from "../invoices/invoice.ts";
import type { Line } from "../rating/line.ts";
import { doStep } from "./do-step.ts";
import type { Step } from "./step.ts";

/** What a step would come to. */
export type Quote = {
  readonly invoices: readonly Invoice[];
  readonly creditNotes: readonly CreditNote[];
  /** Lines that would wait for the next invoice. */
  readonly waiting: readonly Line[];
  /** The balance afterwards, in minor units. */
  readonly balance: bigint;
};

/**
 * Quotes a step at its instant: it is done, and only what it issues is kept. Confirming does the same step at the same instant on the
 * same account, so no one is charged another sum than was shown.
 *
 * @throws {StepRefused} Like the step.
 */
export function quoteStep(account: Account, step: Step): Quote {
  const after = doStep(account, step);
  return {
    invoices: after.invoices.slice(account.invoices.length),
    creditNotes: after.creditNotes.slice(account.creditNotes.length),
    waiting: after.waiting,
    balance: after.balance,
  };
}
