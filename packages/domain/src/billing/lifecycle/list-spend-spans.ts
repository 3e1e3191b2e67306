import { type Account, isRunning, type RunningAccount } from "../account/account.ts";
import { spendOf } from "../limits/spend-of.ts";
import type { SpendSpan } from "../limits/spend-span.ts";
import { NoTaxRate } from "../tax/tax-lines.ts";
import { passTime } from "./pass-time.ts";

function toSpan(account: RunningAccount): SpendSpan {
  const { fromMs, toMs } = account.subscription.period;
  return { fromMs, toMs, spend: spendOf(account) };
}

/** The account when its period has turned. Without a rate of tax the turn waits, and the period goes on. */
function turn(account: RunningAccount, nowMs: number): Account {
  const { toMs } = account.subscription.period;
  try {
    return passTime(account, { fromMs: nowMs, toMs, usages: [] });
  } catch (error) {
    if (error instanceof NoTaxRate) {
      const period = { fromMs: toMs, toMs: Number.MAX_SAFE_INTEGER };
      return { ...account, subscription: { ...account.subscription, period } };
    }
    throw error;
  }
}

/**
 * What the running period has cost so far, and the one after it, so that a cap holds from its first call on.
 *
 * @returns Nothing when no plan runs; one period when nothing runs after it.
 */
export function listSpendSpans(account: Account, nowMs: number): SpendSpan[] {
  if (!isRunning(account)) {
    return [];
  }
  const running = toSpan(account);
  const turned = turn(account, nowMs);
  return isRunning(turned) && turned.subscription.period.fromMs >= running.toMs
    ? [running, toSpan(turned)]
    : [running];
}
