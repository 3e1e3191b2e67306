import { type Account, isRunning } from "../account/account.ts";
import { withoutLater } from "../rating/stretch.ts";
import type { Run } from "../subscription/subscription.ts";
import { recordStates } from "./advance.ts";
import { type OnSpan, passTime } from "./pass-time.ts";
import { recordUsages, type Usage } from "./record-usage.ts";

/** Takes what was used from an instant on out of the running periods, so that it can be recorded again after a step. */
function takeLater(account: Account, atMs: number): { account: Account; taken: Usage[] } {
  if (!isRunning(account) || account.meterUses.every((use) => use.atMs < atMs)) {
    return { account, taken: [] };
  }
  const { subscription, meterUses } = account;
  const cut = (run: Run) => ({
    ...run,
    stretches: run.stretches.map((stretch) => withoutLater(stretch, atMs)),
  });
  return {
    account: {
      ...account,
      meterUses: meterUses.filter((use) => use.atMs < atMs),
      subscription: {
        ...subscription,
        run: cut(subscription.run),
        addOns: subscription.addOns.map(cut),
      },
    },
    taken: meterUses
      .filter((use) => use.atMs >= atMs)
      .map(({ meterId, atMs: usedMs, served, beyond }) => ({
        meterId,
        atMs: usedMs,
        quantity: served + beyond,
      })),
  };
}

/**
 * Lets time pass up to an instant and does a step there. Usage from that instant on is recorded after the step, so that it belongs to
 * what the step begins: each unit is on one side of the instant, in any order in which it was recorded.
 *
 * @param input.usages - In the order of `atMs`.
 * @throws What the step throws.
 */
export function playAt(
  account: Account,
  {
    fromMs,
    atMs,
    usages,
    onSpan,
    step,
  }: {
    fromMs: number;
    atMs: number;
    usages: readonly Usage[];
    onSpan?: OnSpan | undefined;
    step: (account: Account) => Account;
  },
): Account {
  const earlier = usages.filter((usage) => usage.atMs < atMs);
  const lived = passTime(account, { fromMs, toMs: atMs, usages: earlier, onSpan });
  const passed = takeLater(lived, atMs);
  const later = [...passed.taken, ...usages.slice(earlier.length)];
  const after = recordUsages(
    step(passed.account),
    later.sort((a, b) => a.atMs - b.atMs),
    atMs,
  );
  return recordStates(after, atMs);
}
