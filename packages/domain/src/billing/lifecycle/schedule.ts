import type { Account } from "../account/account.ts";
import type { BillingPlan } from "../catalog/billing-plan.ts";
import { createRun } from "../subscription/open-run.ts";
import { firstPricedMs, phaseAt } from "../subscription/phases.ts";
import type { Subscription } from "../subscription/subscription.ts";
import { subscribe } from "./subscribe.ts";

/** A subscription that begins at a later instant. */
export type ScheduledSubscription = Subscription & { readonly state: "scheduled" };

export function isScheduled(
  subscription: Subscription | undefined,
): subscription is ScheduledSubscription {
  return subscription?.state === "scheduled";
}

/**
 * Plans the start of a plan. Nothing is charged and no usage is kept before.
 *
 * @param input.startMs - Later than now.
 * @param input.anchorMs - As {@link subscribe} takes it.
 */
export function scheduleSubscription(
  account: Account,
  { plan, startMs, anchorMs }: { plan: BillingPlan; startMs: number; anchorMs: number | undefined },
): Account {
  const run = createRun(plan, {
    isAddOn: false,
    order: account.runs,
    startMs,
    inForce: phaseAt(plan, { startMs, atMs: startMs, skipsHead: false }),
    seats: new Map(),
    hasBeenPriced: false,
  });
  const subscription: Subscription = {
    state: "scheduled",
    startMs,
    runningSinceMs: startMs,
    anchorMs: anchorMs ?? firstPricedMs(plan, startMs) ?? startMs,
    isAnchorGiven: anchorMs !== undefined,
    run,
    addOns: [],
    period: { fromMs: startMs, toMs: startMs },
    pendingChange: undefined,
    pendingEnd: undefined,
    pendingPause: undefined,
  };
  return { ...account, subscription };
}

/** Begins what was scheduled, once its start has come. */
export function beginScheduled(account: Account, subscription: ScheduledSubscription): Account {
  const { run, startMs, anchorMs, isAnchorGiven } = subscription;
  return subscribe(account, {
    plan: run.plan,
    atMs: startMs,
    anchorMs: isAnchorGiven ? anchorMs : undefined,
  });
}
