import type { Account, RunningAccount } from "../account/account.ts";
import { listRuns } from "../subscription/subscription.ts";
import { type Spend, toSpend } from "./spend.ts";

/** What the running period of an account has cost so far. */
export function spendOf({ invoices, waiting, subscription, terms }: RunningAccount): Spend {
  return toSpend({
    lines: [...invoices.flatMap(({ lines }) => lines), ...waiting],
    stretches: listRuns(subscription).flatMap(({ stretches }) => stretches),
    period: subscription.period,
    currency: terms.currency,
  });
}

/** The cap that usage at an instant was admitted under; undefined without one. */
export function capAt(
  { cap, capBefore }: Pick<Account, "cap" | "capBefore">,
  atMs: number,
): bigint | undefined {
  if (cap === undefined || capBefore === undefined || atMs >= capBefore.untilMs) {
    return cap;
  }
  return capBefore.cap === undefined || capBefore.cap > cap ? capBefore.cap : cap;
}

/**
 * Changes the cap of an account. A raised cap counts at once, also for usage that is recorded later.
 *
 * @param untilMs - Usage before was admitted while the cap was what it was, so a lower cap does not take it off the invoice.
 */
export function changeCap(
  account: Account,
  { cap, atMs, untilMs }: { cap: bigint | undefined; atMs: number; untilMs: number },
): Account {
  if (cap === account.cap) {
    return account;
  }
  const before = { cap: capAt(account, atMs), untilMs };
  return { ...account, cap, capBefore: cap === undefined ? undefined : before };
}
