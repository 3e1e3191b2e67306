import { type Account, isRunning, type RunningAccount } from "../account/account.ts";
import { drawOf } from "../limits/draw-of.ts";
import { isPrepaid, payableByCredit } from "../limits/prepaid.ts";
import { spendOf } from "../limits/spend-of.ts";
import { OPEN_END_MS, type SpendSpan } from "../limits/spend-span.ts";
import { NoTaxRate } from "../tax/tax-lines.ts";
import { passTime } from "./pass-time.ts";

function toSpan(account: RunningAccount, nowMs: number): SpendSpan {
  const { fromMs, toMs } = account.subscription.period;
  const drawn = isPrepaid(account) ? drawOf(account, nowMs).fees : undefined;
  return { fromMs, toMs, spend: spendOf(account), ...(drawn !== undefined && { drawn }) };
}

/** The account when its period has turned. @returns `undefined` without a rate of tax: the turn waits, and the period goes on. */
function turn(account: RunningAccount, nowMs: number): Account | undefined {
  const { toMs } = account.subscription.period;
  try {
    return passTime(account, { fromMs: nowMs, toMs, usages: [] });
  } catch (error) {
    if (error instanceof NoTaxRate) {
      return;
    }
    throw error;
  }
}

/** What limits the spend of an account. */
export type SpendLimits = {
  /** The running period and the one after it: nothing when no plan runs, one when nothing runs after it. */
  readonly spans: readonly SpendSpan[];
  /** What usage that is not invoiced may come to, in minor units; undefined unless one of the plans is prepaid. */
  readonly credit: bigint | undefined;
};

/** What the running period has cost so far, and the one after it, so that a cap and credit hold from its first call on. */
export function listSpendLimits(account: Account, nowMs: number): SpendLimits {
  if (!isRunning(account)) {
    return { spans: [], credit: undefined };
  }
  const running = toSpan(account, nowMs);
  const turned = turn(account, nowMs);
  if (turned === undefined) {
    const { drawn, ...goingOn } = { ...running, fromMs: running.toMs, toMs: OPEN_END_MS };
    return {
      // The first span goes on to draw on credit: in both, its usage would count twice.
      spans: [running, goingOn],
      credit: drawn === undefined ? undefined : payableByCredit(account, nowMs),
    };
  }
  const next =
    isRunning(turned) && turned.subscription.period.fromMs >= running.toMs ? turned : undefined;
  const drawing = [account, ...(next === undefined ? [] : [next])].find(isPrepaid);
  return {
    spans: next === undefined ? [running] : [running, toSpan(next, nowMs)],
    credit: drawing && payableByCredit(drawing, nowMs),
  };
}
