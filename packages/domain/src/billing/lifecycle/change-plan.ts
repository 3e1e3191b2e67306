import type { Quantity } from "../../pricing/price.ts";
import type { Account, RunningAccount } from "../account/account.ts";
import { billLateUsage } from "../account/bill-late-usage.ts";
import { closeRuns } from "../account/close-runs.ts";
import { type BillingPlan, hasPrices } from "../catalog/billing-plan.ts";
import { createRun, type OpeningCharge, openRun, turnPhase } from "../subscription/open-run.ts";
import { firstPricedMs, type PhaseInForce, phaseAt } from "../subscription/phases.ts";
import { isSameInterval, planInterval } from "../subscription/plan-interval.ts";
import type { ProrationMode, Subscription } from "../subscription/subscription.ts";
import { setPeriod, usesFrom } from "./begin-period.ts";
import { returnFromRuns } from "./return-from-runs.ts";
import { settle } from "./settle.ts";

export type PlanChange = {
  readonly plan: BillingPlan;
  readonly mode: ProrationMode;
  readonly atMs: number;
  /** True at the end of the running period, where everything is whole and nothing waits. */
  readonly isAtEnd: boolean;
};

/** Where boundaries are counted from after a change, and whether that moved. */
function anchorAfter(
  { anchorMs, isAnchorGiven, startMs, run }: Subscription,
  { inForce, plan, atMs }: { inForce: PhaseInForce; plan: BillingPlan; atMs: number },
): { anchorMs: number; moves: boolean } {
  const wasPriced = hasPrices(run.inForce.phase);
  const isPriced = hasPrices(inForce.phase);
  if (!run.hasBeenPriced && !isPriced && !isAnchorGiven) {
    // No period with a price has begun: the anchor is where the first one of the new plan will.
    return { anchorMs: firstPricedMs(plan, startMs) ?? startMs, moves: false };
  }
  const isOther = !isSameInterval(planInterval(run.inForce.phase), planInterval(inForce.phase));
  const moves = isOther || (!wasPriced && isPriced && !isAnchorGiven);
  return { anchorMs: moves ? atMs : anchorMs, moves };
}

/** Seats stay with cards of the same key. */
function keepSeats(seats: ReadonlyMap<string, Quantity>, plan: BillingPlan): Map<string, Quantity> {
  const keys = new Set(
    plan.phases
      .flatMap(({ cards }) => cards.filter(({ meterId }) => meterId === undefined))
      .map(({ key }) => key),
  );
  return new Map([...seats].filter(([key]) => keys.has(key)));
}

function chargeOf({ mode, isAtEnd }: PlanChange, moves: boolean): OpeningCharge {
  return mode === "none" && !moves && !isAtEnd ? "none" : "proration";
}

/**
 * Changes the plan at an instant: closes the old plan, credits what it was paid in advance, opens the new one, and settles everything
 * on one invoice. Where the anchor moves, all periods begin anew, those of add-ons too.
 */
export function changePlan(account: RunningAccount, change: PlanChange): Account {
  const { plan, mode, atMs, isAtEnd } = change;
  const { subscription } = account;
  const { run: old, addOns, startMs } = subscription;
  const inForce = phaseAt(plan, { startMs, atMs, skipsHead: old.hasBeenPriced });
  const { anchorMs, moves } = anchorAfter(subscription, { inForce, plan, atMs });
  const late = billLateUsage(account, atMs);
  const returned = returnFromRuns(
    { ...late.account, subscription },
    {
      atMs,
      mode,
      isEnding: ({ isAddOn }) => !isAddOn || moves,
      // An add-on goes on: only the time of its period is cut.
      isByTime: ({ isAddOn }) => isAddOn,
    },
  );
  const turned = addOns.map((run) => turnPhase(run, atMs));
  const closed = closeRuns(
    returned,
    [
      { run: old, isCut: true },
      ...addOns.map((run, index) => ({ run, isCut: moves || turned[index] !== run })),
    ],
    { atMs, passesOn: true, fresh: late.lines },
  );
  const opening = {
    anchorMs,
    atMs,
    uses: usesFrom(account.meterUses, atMs),
    currency: account.terms.currency,
  };
  const next = openRun(
    createRun(plan, {
      isAddOn: false,
      order: account.runs,
      startMs,
      inForce,
      seats: keepSeats(old.seats, plan),
      hasBeenPriced: old.hasBeenPriced,
    }),
    { ...opening, charge: chargeOf(change, moves) },
  );
  const reopened = closed.runs.slice(1).map((run, index) => {
    const { inForce: phase, hasBeenPriced } = turned[index] ?? run;
    return openRun({ ...run, inForce: phase, hasBeenPriced }, { ...opening, charge: "base" });
  });
  const changed: Subscription = {
    ...subscription,
    anchorMs,
    run: next.run,
    addOns: reopened.map(({ run }) => run),
    pendingChange: undefined,
  };
  const begins = moves || isAtEnd || !hasPrices(old.inForce.phase);
  const counted = setPeriod({ ...closed.account, runs: account.runs + 1 }, changed, {
    atMs,
    begins,
  });
  const lines = [...closed.lines, ...next.lines, ...reopened.flatMap((addOn) => addOn.lines)];
  return settle(counted, lines, { atMs, waits: mode === "nextPeriod" && !moves && !isAtEnd });
}
