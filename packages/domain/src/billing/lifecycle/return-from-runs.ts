import type { RunningAccount } from "../account/account.ts";
import { returnUnused } from "../account/return-unused.ts";
import { quotaShareLeft } from "../limits/quota.ts";
import type { LineOwner } from "../rating/line.ts";
import { listRuns, type ProrationMode } from "../subscription/subscription.ts";

/**
 * Gives back what the lines that end have left, by the mode of the step: nothing with `none`, the smaller of time and quota with
 * `largerOfTimeOrQuota`. There is one credit note for each invoice.
 *
 * @param input.isByTime - Lines that a quota says nothing about.
 */
export function returnFromRuns(
  account: RunningAccount,
  {
    atMs,
    mode,
    isEnding,
    isByTime = () => false,
  }: {
    atMs: number;
    mode: ProrationMode;
    isEnding: (owner: LineOwner) => boolean;
    isByTime?: (owner: LineOwner) => boolean;
  },
): RunningAccount {
  if (mode === "none") {
    return account;
  }
  const { subscription, meterUses } = account;
  const { anchorMs } = subscription;
  const returned = returnUnused(account, {
    atMs,
    isEnding,
    quotaShare: (owner, span) => {
      // Lines of an earlier plan go by the quota of the plan that runs now.
      const run = listRuns(subscription).find((candidate) =>
        owner.isAddOn ? candidate.order === owner.runOrder : !candidate.isAddOn,
      );
      return mode !== "largerOfTimeOrQuota" || run === undefined || isByTime(owner)
        ? undefined
        : quotaShareLeft(run, span, { anchorMs, atMs, uses: meterUses });
    },
  });
  return { ...returned, subscription };
}
