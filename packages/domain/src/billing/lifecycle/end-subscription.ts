import type { Account, RunningAccount } from "../account/account.ts";
import { billLateUsage } from "../account/bill-late-usage.ts";
import { closeRuns } from "../account/close-runs.ts";
import { listRuns, type ProrationMode } from "../subscription/subscription.ts";
import { returnFromRuns } from "./return-from-runs.ts";
import { settle } from "./settle.ts";

/** Ends a subscription, or pauses it: everything is closed, and what was paid beyond the end comes back by the mode of the step. */
export function endSubscription(
  account: RunningAccount,
  { atMs, mode, into }: { atMs: number; mode: ProrationMode; into: "ended" | "paused" },
): Account {
  const { subscription } = account;
  const late = billLateUsage(account, atMs);
  const returned = returnFromRuns(
    { ...late.account, subscription },
    { atMs, mode, isEnding: () => true },
  );
  const {
    account: closed,
    runs,
    lines,
  } = closeRuns(
    returned,
    listRuns(subscription).map((run) => ({ run, isCut: true })),
    { atMs, passesOn: false, fresh: late.lines },
  );
  const [run = subscription.run, ...addOns] = runs;
  const ended = {
    ...subscription,
    state: into,
    run,
    addOns,
    pendingChange: undefined,
    pendingEnd: undefined,
    pendingPause: undefined,
  };
  return settle({ ...closed, subscription: ended }, lines, { atMs, waits: false });
}
