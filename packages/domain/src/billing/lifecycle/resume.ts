import type { Account } from "../account/account.ts";
import { enterPhase, openRun } from "../subscription/open-run.ts";
import { phaseAt } from "../subscription/phases.ts";
import { listRuns, type Subscription } from "../subscription/subscription.ts";
import { setPeriod, usesFrom } from "./begin-period.ts";
import { settle } from "./settle.ts";

/** Goes on after a pause: whole periods from `atMs`, with the anchor there. Phases go on counting from the start. */
export function resume(account: Account, subscription: Subscription, atMs: number): Account {
  const opened = listRuns(subscription).map((run) => {
    const { plan, startMs, hasBeenPriced } = run;
    return openRun(enterPhase(run, phaseAt(plan, { startMs, atMs, skipsHead: hasBeenPriced })), {
      anchorMs: atMs,
      atMs,
      charge: "base",
      uses: usesFrom([], atMs),
      currency: account.terms.currency,
    });
  });
  const [run = subscription.run, ...addOns] = opened.map((open) => open.run);
  const resumed: Subscription = {
    ...subscription,
    state: "running",
    runningSinceMs: atMs,
    anchorMs: atMs,
    run,
    addOns,
  };
  const counted = setPeriod({ ...account, meterUses: [] }, resumed, { atMs, begins: true });
  return settle(
    counted,
    opened.flatMap(({ lines }) => lines),
    { atMs, waits: false },
  );
}
