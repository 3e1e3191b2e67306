import { type Account, isRunning } from "../account/account.ts";
import type { Invoice } from "../invoices/invoice.ts";
import type { Span } from "../rating/line.ts";
import { nextDueMs } from "./advance.ts";
import { passTime } from "./pass-time.ts";
import type { Usage } from "./record-usage.ts";

/** Usage of spans of time that follow each other, in order of time. */
export type UsageOf = (span: Span) => readonly Usage[];

/** Boundaries that may issue nothing: the end of a phase that only changes limits. */
const BOUNDARIES_MAX = 12;

export type PassedToInvoice = {
  readonly account: Account;
  /** When it is issued. */
  readonly atMs: number;
  /** Undefined when a period ends that owes nothing. */
  readonly invoice: Invoice | undefined;
};

/**
 * Lets time pass until the next invoice is issued, or a period ends that has none.
 *
 * @returns `undefined` when no invoice is to come.
 */
export function passToInvoice(
  account: Account,
  { fromMs, usageOf = () => [] }: { fromMs: number; usageOf?: UsageOf },
): PassedToInvoice | undefined {
  let current = account;
  let reachedMs = fromMs;
  for (let boundaries = 0; boundaries < BOUNDARIES_MAX && isRunning(current); boundaries += 1) {
    const dueMs = nextDueMs(current, reachedMs);
    if (dueMs === undefined) {
      return;
    }
    const before = current.invoices.length;
    const isEnd = dueMs >= current.subscription.period.toMs;
    const usages = usageOf({ fromMs: reachedMs, toMs: dueMs });
    current = passTime(current, { fromMs: reachedMs, toMs: dueMs, usages });
    reachedMs = dueMs;
    const invoice = current.invoices[before];
    if (invoice !== undefined || isEnd) {
      return { account: current, atMs: dueMs, invoice };
    }
  }
  return;
}
