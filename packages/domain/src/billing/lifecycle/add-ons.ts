import type { Account, RunningAccount } from "../account/account.ts";
import { billLateUsage } from "../account/bill-late-usage.ts";
import { closeRuns } from "../account/close-runs.ts";
import type { BillingPlan } from "../catalog/billing-plan.ts";
import { createRun, openRun } from "../subscription/open-run.ts";
import { phaseAt } from "../subscription/phases.ts";
import type { ProrationMode, Run } from "../subscription/subscription.ts";
import { usesFrom } from "./begin-period.ts";
import { returnFromRuns } from "./return-from-runs.ts";
import { settle } from "./settle.ts";

type Step = { readonly atMs: number; readonly mode: ProrationMode };

/** Begins a second plan beside the first, with the anchor of the first. */
export function beginAddOn(
  account: RunningAccount,
  plan: BillingPlan,
  { atMs, mode }: Step,
): Account {
  const { subscription, terms, meterUses, runs } = account;
  const begun = createRun(plan, {
    isAddOn: true,
    order: runs,
    startMs: atMs,
    inForce: phaseAt(plan, { startMs: atMs, atMs, skipsHead: false }),
    seats: new Map(),
    hasBeenPriced: false,
  });
  const { run, lines } = openRun(begun, {
    anchorMs: subscription.anchorMs,
    atMs,
    charge: mode === "none" ? "none" : "base",
    uses: usesFrom(meterUses, atMs),
    currency: terms.currency,
  });
  const added = { ...subscription, addOns: [...subscription.addOns, run] };
  return settle({ ...account, runs: runs + 1, subscription: added }, lines, {
    atMs,
    waits: mode === "nextPeriod",
  });
}

/** Ends an add-on alone, at once. */
export function endAddOn(account: RunningAccount, addOn: Run, { atMs, mode }: Step): Account {
  const { subscription } = account;
  const late = billLateUsage(account, atMs);
  const returned = returnFromRuns(
    { ...late.account, subscription },
    { atMs, mode, isEnding: ({ runOrder }) => runOrder === addOn.order },
  );
  const closed = closeRuns(returned, [{ run: addOn, isCut: true }], {
    atMs,
    passesOn: false,
    fresh: late.lines,
  });
  const addOns = subscription.addOns.filter((run) => run !== addOn);
  return settle({ ...closed.account, subscription: { ...subscription, addOns } }, closed.lines, {
    atMs,
    waits: mode === "nextPeriod",
  });
}
