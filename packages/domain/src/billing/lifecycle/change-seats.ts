import type { Quantity } from "../../pricing/price.ts";
import type { Account, RunningAccount } from "../account/account.ts";
import type { RateCard } from "../catalog/billing-plan.ts";
import type { Line } from "../rating/line.ts";
import { closeStretch } from "../rating/stretch.ts";
import { chargeOpening, openStretch } from "../subscription/open-run.ts";
import { listRuns, type ProrationMode, type Run } from "../subscription/subscription.ts";
import { usesFrom } from "./begin-period.ts";
import { returnFromRuns } from "./return-from-runs.ts";
import { settle } from "./settle.ts";

/** Finds the run with a fee of this key, in any of its phases: the plan first, then its add-ons. */
export function findFee(
  { subscription }: RunningAccount,
  key: string,
): { run: Run; card: RateCard } | undefined {
  for (const run of listRuns(subscription)) {
    const phases = [run.inForce.phase, ...run.plan.phases];
    const card = phases
      .flatMap(({ cards }) => cards)
      .find((candidate) => candidate.key === key && candidate.meterId === undefined);
    if (card !== undefined) {
      return { run, card };
    }
  }
  return;
}

/** Cuts the running period of one fee at `atMs`: the part before keeps its seats, the part after has the new ones. */
function recut(
  account: RunningAccount,
  run: Run,
  { key, atMs, mode }: { key: string; atMs: number; mode: ProrationMode },
): { run: Run; lines: Line[] } {
  const { currency } = account.terms;
  const lines: Line[] = [];
  const stretches = run.stretches.map((stretch) => {
    if (stretch.card.key !== key) {
      return stretch;
    }
    const next = openStretch(run, stretch.card, {
      anchorMs: account.subscription.anchorMs,
      atMs,
      uses: usesFrom([], atMs),
    });
    const charge = mode === "none" ? "none" : "proration";
    lines.push(
      ...closeStretch(stretch, atMs, currency).lines,
      ...chargeOpening(next, { charge, currency }),
    );
    return next;
  });
  return { run: { ...run, stretches }, lines };
}

/** Changes the seats of a fee from `atMs`: what was paid in advance for it comes back, and the rest of its period is charged anew. */
export function changeSeats(
  account: RunningAccount,
  {
    run,
    key,
    quantity,
    atMs,
    mode,
  }: { run: Run; key: string; quantity: Quantity; atMs: number; mode: ProrationMode },
): Account {
  // Seats go by time: a quota says nothing about them.
  const byTime = mode === "largerOfTimeOrQuota" ? "time" : mode;
  const returned = returnFromRuns(account, {
    atMs,
    mode: byTime,
    isEnding: (owner) =>
      owner.card === key && (run.isAddOn ? owner.runOrder === run.order : !owner.isAddOn),
  });
  const seated = { ...run, seats: new Map([...run.seats, [key, quantity]]) };
  const cut = recut(returned, seated, { key, atMs, mode: byTime });
  const { subscription } = returned;
  const replace = (candidate: Run) => (candidate === run ? cut.run : candidate);
  const changed = {
    ...subscription,
    run: replace(subscription.run),
    addOns: subscription.addOns.map(replace),
  };
  return settle({ ...returned, subscription: changed }, cut.lines, {
    atMs,
    waits: byTime === "nextPeriod",
  });
}
