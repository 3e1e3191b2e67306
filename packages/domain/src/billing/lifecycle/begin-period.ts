import type { Account, MeterUse, RunningAccount } from "../account/account.ts";
import { hasPrices } from "../catalog/billing-plan.ts";
import type { Span } from "../rating/line.ts";
import { type OpeningUses, spanAt } from "../subscription/open-run.ts";
import { isTrial } from "../subscription/phases.ts";
import { planInterval } from "../subscription/plan-interval.ts";
import type { Subscription } from "../subscription/subscription.ts";

function periodSpan({ run, anchorMs, runningSinceMs }: Subscription, atMs: number): Span {
  const { phase, fromMs, toMs } = run.inForce;
  // A phase that a change skipped to may begin only later by its own count.
  const phaseFromMs = fromMs <= atMs ? fromMs : runningSinceMs;
  const begun = Math.max(runningSinceMs, phaseFromMs);
  if (isTrial(phase)) {
    return { fromMs: begun, toMs: toMs ?? atMs };
  }
  const full = spanAt(anchorMs, planInterval(phase), atMs);
  return { fromMs: Math.max(full.fromMs, begun), toMs: Math.min(full.toMs, toMs ?? full.toMs) };
}

/**
 * Sets the running period of a subscription after something has changed it at `atMs`.
 *
 * @param input.begins - True when a running period begins: only those with prices are counted.
 */
export function setPeriod(
  account: Account,
  subscription: Subscription,
  { atMs, begins }: { atMs: number; begins: boolean },
): RunningAccount {
  const isCounted = begins && hasPrices(subscription.run.inForce.phase);
  const periods = account.periods + (isCounted ? 1 : 0);
  const period = periodSpan(subscription, atMs);
  return { ...account, periods, subscription: { ...subscription, period } };
}

/** Usage at an instant, for what begins there. */
export function usesFrom(meterUses: readonly MeterUse[], atMs: number): OpeningUses {
  return (meterId) => {
    const uses = meterUses.filter((use) => use.meterId === meterId && use.atMs >= atMs);
    const toUses = (pick: (use: MeterUse) => bigint) =>
      uses
        .map((use) => ({ atMs: use.atMs, quantity: pick(use) }))
        .filter(({ quantity }) => quantity > 0n);
    return { served: toUses(({ served }) => served), beyond: toUses(({ beyond }) => beyond) };
  };
}
