import type { Quantity } from "../../pricing/price.ts";
import { type Account, isRunning, type LateUse, type RunningAccount } from "../account/account.ts";
import { billLateUsage } from "../account/bill-late-usage.ts";
import { admitUsage } from "../limits/admit-usage.ts";
import { drawOf } from "../limits/draw-of.ts";
import { isPrepaid, payableByCredit } from "../limits/prepaid.ts";
import { quotaLeft } from "../limits/quota.ts";
import { createCapCheck } from "../limits/spend.ts";
import { capAt, spendOf } from "../limits/spend-of.ts";
import type { Stretch } from "../rating/stretch.ts";
import { listRuns, type Run } from "../subscription/subscription.ts";
import { settle } from "./settle.ts";

export type Usage = {
  readonly meterId: string;
  readonly quantity: Quantity;
  /** When it happened. */
  readonly atMs: number;
};

function isOf({ card, fromMs }: Stretch, { meterId, atMs }: Usage): boolean {
  return card.meterId === meterId && fromMs <= atMs;
}

/** How much of a use the limits, the cap and, on a prepaid plan, credit let through. */
function admit(account: RunningAccount, usage: Usage): Quantity {
  const { subscription, meterUses } = account;
  const { meterId, quantity, atMs } = usage;
  const runs = listRuns(subscription);
  const cap = capAt(account, atMs);
  const checks = [
    ...(cap === undefined ? [] : [createCapCheck(cap, spendOf(account))]),
    // What takes effect until the period ends can pay its invoice.
    ...(isPrepaid(account) && atMs >= (account.creditFromMs ?? atMs)
      ? [
          createCapCheck(
            payableByCredit(account, subscription.period.toMs),
            drawOf(account, subscription.period.toMs),
          ),
        ]
      : []),
  ];
  return admitUsage(quantity, {
    quotaLeft: quotaLeft(runs, {
      meterId,
      anchorMs: subscription.anchorMs,
      atMs,
      uses: meterUses,
    }),
    fitsCap:
      checks.length === 0 ? undefined : (amount) => checks.every((check) => check(meterId, amount)),
  });
}

function addTo(run: Run, usage: Usage, served: Quantity): Run {
  const { atMs, quantity } = usage;
  const kept = quantity - served;
  const stretches = run.stretches.map((stretch) =>
    isOf(stretch, usage)
      ? {
          ...stretch,
          used: stretch.used + served,
          uses: served > 0n ? [...stretch.uses, { atMs, quantity: served }] : stretch.uses,
          beyond: kept > 0n ? [...stretch.beyond, { atMs, quantity: kept }] : stretch.beyond,
        }
      : stretch,
  );
  return { ...run, stretches };
}

/** Adds usage that is in the ledger. What lies in a running period is served as far as limits and the cap have room. */
function addUsage(account: Account, usage: Usage): Account {
  const { meterId, atMs, quantity } = usage;
  const late: LateUse[] = [...account.closed.entries()]
    .filter(
      ([, { card, fromMs, toMs }]) => card.meterId === meterId && fromMs <= atMs && atMs < toMs,
    )
    .map(([closed]) => ({ closed, quantity }));
  const waiting = late.length === 0 ? account : { ...account, late: [...account.late, ...late] };
  if (!isRunning(waiting)) {
    return waiting;
  }
  const { subscription } = waiting;
  const served = late.length > 0 ? quantity : admit(waiting, usage);
  const use = { meterId, atMs, served, beyond: quantity - served };
  return {
    ...waiting,
    meterUses: [...waiting.meterUses, use],
    subscription: {
      ...subscription,
      run: addTo(subscription.run, usage, served),
      addOns: subscription.addOns.map((run) => addTo(run, usage, served)),
    },
  };
}

/**
 * Records usage. What lies in a closed period was admitted when it happened, and is billed when next a period closes, or at once
 * when nothing runs: then one invoice has all of it.
 *
 * @param nowMs - When it was written to the ledger.
 */
export function recordUsages(account: Account, usages: readonly Usage[], nowMs: number): Account {
  const added = usages.reduce(addUsage, account);
  if (isRunning(added) || added.late.length === 0) {
    return added;
  }
  const billed = billLateUsage(added, nowMs);
  return settle(billed.account, billed.lines, { atMs: nowMs, waits: false });
}

/** {@link recordUsages} of one. */
export function recordUsage(account: Account, usage: Usage, nowMs: number): Account {
  return recordUsages(account, [usage], nowMs);
}
