import type { Tx } from "@turnpike/db/client";
import type { Account } from "@turnpike/domain/billing/account/account";
import { passTime } from "@turnpike/domain/billing/lifecycle/pass-time";
import { type AccountKey, lockAccount } from "../accounts/accounts.store.ts";
import { effectiveMs } from "../accounts/effective-ms.ts";
import { type LoadedAccount, loadAccounts } from "../accounts/load-accounts.ts";
import { isTaxGap } from "../accounts/to-tax-refusal.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { syncSpendBudget } from "./sync-spend-budget.ts";

/** The account as it would be now. @returns `undefined` where its taxes are not known: then its period goes on. */
function tryToPass(loaded: LoadedAccount, atMs: number): Account | undefined {
  const fromMs = loaded.row?.advancedTo.getTime() ?? atMs;
  try {
    return passTime(loaded.account, { fromMs, toMs: atMs, usages: loaded.usages });
  } catch (error) {
    if (isTaxGap(error)) {
      return;
    }
    throw error;
  }
}

/**
 * Keeps the budget of an account that waits for the operator as it would be if it did not wait: with the period that ended taken from its
 * credit, and what is used since in the one that runs. Without this, usage since would count in both until the invoice is issued. Part of
 * a transaction of the operator role.
 *
 * @param input.recordedTo - A cut-off that was taken.
 */
export async function projectSpendBudget(
  deps: BillingDeps,
  tx: Tx,
  key: AccountKey,
  { recordedTo, now }: { recordedTo: Date; now: Date },
): Promise<void> {
  const row = await lockAccount(tx, key);
  if (row?.heldSince == null) {
    return;
  }
  const [loaded] = await loadAccounts(tx, [row], { settings: deps.billing, recordedTo });
  const atMs = effectiveMs(now.getTime() + row.aheadMs, row);
  const after = loaded && tryToPass(loaded, atMs);
  if (loaded !== undefined && after !== undefined) {
    await syncSpendBudget(tx, { loaded, after, atMs, now });
  }
}
