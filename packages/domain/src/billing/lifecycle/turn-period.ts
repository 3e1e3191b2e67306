import type { Account, RunningAccount } from "../account/account.ts";
import { billLateUsage } from "../account/bill-late-usage.ts";
import { closeRuns } from "../account/close-runs.ts";
import { openRun, turnPhase } from "../subscription/open-run.ts";
import { isSameInterval, planInterval } from "../subscription/plan-interval.ts";
import { listRuns, type Run, type Subscription } from "../subscription/subscription.ts";
import { setPeriod, usesFrom } from "./begin-period.ts";
import { changePlan } from "./change-plan.ts";
import { endSubscription } from "./end-subscription.ts";
import { returnFromRuns } from "./return-from-runs.ts";
import { isScheduled } from "./schedule.ts";
import { settle } from "./settle.ts";

/** The next instant at which something of a subscription ends, or at which it begins; `undefined` when nothing runs or is to. */
export function nextBoundaryMs({ subscription }: Account): number | undefined {
  if (isScheduled(subscription)) {
    return subscription.startMs;
  }
  if (subscription?.state !== "running") {
    return;
  }
  const ends = listRuns(subscription).flatMap(({ stretches, minimum, inForce }) => [
    ...stretches.map(({ toMs }) => toMs),
    ...(minimum === undefined ? [] : [minimum.toMs]),
    ...(inForce.toMs === undefined ? [] : [inForce.toMs]),
  ]);
  return Math.min(subscription.period.toMs, ...ends);
}

/** A phase of another interval moves the anchor to its start. */
function movesAnchor({ run, anchorMs }: Subscription, turned: Run, atMs: number): boolean {
  return (
    turned !== run &&
    anchorMs !== atMs &&
    !isSameInterval(planInterval(run.inForce.phase), planInterval(turned.inForce.phase))
  );
}

/** Closes every period that ends, begins the phases that are due, and opens the next periods: one invoice for all of it. */
function renew(account: RunningAccount, atMs: number): Account {
  const { subscription, terms, meterUses } = account;
  const runs = listRuns(subscription);
  const turned = runs.map((run) => turnPhase(run, atMs));
  const moves = turned[0] !== undefined && movesAnchor(subscription, turned[0], atMs);
  const late = billLateUsage(account, atMs);
  const current = { ...late.account, subscription };
  const returned = moves
    ? returnFromRuns(current, { atMs, mode: "time", isEnding: ({ isAddOn }) => isAddOn })
    : current;
  const closed = closeRuns(
    returned,
    runs.map((run, index) => ({ run, isCut: moves || turned[index] !== run })),
    { atMs, passesOn: true, fresh: late.lines },
  );
  const anchorMs = moves ? atMs : subscription.anchorMs;
  const opened = closed.runs.map((run, index) => {
    const { inForce, hasBeenPriced } = turned[index] ?? run;
    return openRun(
      { ...run, inForce, hasBeenPriced },
      { anchorMs, atMs, charge: "base", uses: usesFrom(meterUses, atMs), currency: terms.currency },
    );
  });
  const [first, ...addOns] = opened.map(({ run }) => run);
  const renewed = { ...subscription, anchorMs, run: first ?? subscription.run, addOns };
  const begins = subscription.period.toMs <= atMs;
  const counted = begins
    ? setPeriod(closed.account, renewed, { atMs, begins })
    : { ...closed.account, subscription: renewed };
  const lines = [...closed.lines, ...opened.flatMap((open) => open.lines)];
  return settle(counted, lines, { atMs, waits: false });
}

/**
 * Does what is due at a boundary: an end, else a pause, else a pending change, else the renewal of what ends.
 *
 * @param atMs - What {@link nextBoundaryMs} gave.
 */
export function turnPeriod(account: RunningAccount, atMs: number): Account {
  const { period, pendingEnd, pendingPause, pendingChange } = account.subscription;
  if (atMs >= period.toMs) {
    if (pendingEnd !== undefined) {
      return endSubscription(account, {
        atMs,
        mode: pendingEnd.mode,
        into: "ended",
        isAtEnd: true,
      });
    }
    if (pendingPause !== undefined) {
      return endSubscription(account, {
        atMs,
        mode: pendingPause.mode,
        into: "paused",
        isAtEnd: true,
      });
    }
    if (pendingChange !== undefined) {
      return changePlan(account, { ...pendingChange, atMs, isAtEnd: true });
    }
  }
  return renew(account, atMs);
}
