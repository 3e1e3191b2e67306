import type { Account } from "../account/account.ts";
import type { BillingPlan } from "../catalog/billing-plan.ts";
import { createRun, openRun } from "../subscription/open-run.ts";
import { firstPricedMs, phaseAt } from "../subscription/phases.ts";
import type { Subscription } from "../subscription/subscription.ts";
import { setPeriod, usesFrom } from "./begin-period.ts";
import { settle } from "./settle.ts";

/**
 * Begins a plan. Fees in advance of the phase in force are invoiced at once.
 *
 * @param input.anchorMs - Boundaries are counted from here; undefined for the start of the first phase with a price.
 */
export function subscribe(
  account: Account,
  { plan, atMs, anchorMs }: { plan: BillingPlan; atMs: number; anchorMs: number | undefined },
): Account {
  const inForce = phaseAt(plan, { startMs: atMs, atMs, skipsHead: false });
  const begun = createRun(plan, {
    isAddOn: false,
    order: account.runs,
    startMs: atMs,
    inForce,
    seats: new Map(),
    hasBeenPriced: false,
  });
  const anchor = anchorMs ?? firstPricedMs(plan, atMs) ?? atMs;
  const { run, lines } = openRun(begun, {
    anchorMs: anchor,
    atMs,
    charge: "base",
    uses: usesFrom([], atMs),
    currency: account.terms.currency,
  });
  const subscription: Subscription = {
    state: "running",
    startMs: atMs,
    runningSinceMs: atMs,
    anchorMs: anchor,
    isAnchorGiven: anchorMs !== undefined,
    run,
    addOns: [],
    period: { fromMs: atMs, toMs: atMs },
    pendingChange: undefined,
    pendingEnd: undefined,
    pendingPause: undefined,
  };
  const started = { ...account, runs: account.runs + 1, meterUses: [] };
  const counted = setPeriod(started, subscription, { atMs, begins: true });
  return settle(counted, lines, { atMs, waits: false });
}
