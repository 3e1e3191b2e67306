import type { Tx } from "@turnpike/db/client";
import type { Account } from "@turnpike/domain/billing/account/account";
import { listSpendLimits } from "@turnpike/domain/billing/lifecycle/list-spend-limits";
import { setSpendBudgetWithin } from "#modules/entitlements/index.ts";
import type { LoadedAccount } from "../accounts/load-accounts.ts";

/** True for an account that has a budget: with a cap, or on a prepaid plan, now or from the next period on. */
function mayHaveBudget({ cap, subscription }: Account): boolean {
  return (
    cap !== undefined ||
    subscription?.run.plan.isPrepaid === true ||
    subscription?.pendingChange?.plan.isPrepaid === true
  );
}

/**
 * Gives the granter of leases what it needs to keep a tenant within its cap and its credit, or takes it away with them. Part of the
 * transaction that writes the account. Accounts without both have none.
 *
 * @param input.aheadMs - How far the clock of a sandbox is ahead from now on; left out: as far as it was.
 */
export async function syncSpendBudget(
  tx: Tx,
  {
    loaded,
    after,
    atMs,
    aheadMs = loaded.row?.aheadMs ?? 0,
    now,
  }: { loaded: LoadedAccount; after: Account; atMs: number; aheadMs?: number; now: Date },
): Promise<void> {
  const { key, account: before, recordedTo } = loaded;
  const { cap, terms } = after;
  if (!(mayHaveBudget(after) || mayHaveBudget(before))) {
    return;
  }
  const { spans, credit } = listSpendLimits(after, atMs);
  if (cap === undefined && credit === undefined) {
    await setSpendBudgetWithin(tx, key, { budget: undefined, now });
    return;
  }
  const meters = spans.flatMap(({ spend }) => spend.cards.map(({ meterId }) => meterId));
  await setSpendBudgetWithin(tx, key, {
    budget: {
      cap,
      credit,
      currency: terms.currency.code,
      meters: [...new Set(meters)].sort(),
      spans,
      fedTo: recordedTo,
      aheadMs,
    },
    settles: after.creditFromMs !== before.creditFromMs,
    now,
  });
}
