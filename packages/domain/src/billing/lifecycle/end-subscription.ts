import type { Account, RunningAccount } from "../account/account.ts";
import { billLateUsage } from "../account/bill-late-usage.ts";
import { closeRuns } from "../account/close-runs.ts";
import { listRuns, type ProrationMode } from "../subscription/subscription.ts";
import { returnFromRuns } from "./return-from-runs.ts";
import { settle } from "./settle.ts";

/**
 * Ends a subscription, or pauses it: everything is closed, and what was paid beyond the end comes back by the mode of the step.
 *
 * @param input.isAtEnd - True at the end of the running period: usage of that instant is no longer of it. An end that is asked for takes
 *   what was used at its instant.
 */
export function endSubscription(
  account: RunningAccount,
  {
    atMs,
    mode,
    into,
    isAtEnd,
  }: { atMs: number; mode: ProrationMode; into: "ended" | "paused"; isAtEnd: boolean },
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
    { atMs, passesOn: isAtEnd, fresh: late.lines },
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
