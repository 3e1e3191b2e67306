import type { Tx } from "@turnpike/db/client";
import type { Account } from "@turnpike/domain/billing/account/account";
import { listSpendSpans } from "@turnpike/domain/billing/lifecycle/list-spend-spans";
import { setSpendBudgetWithin } from "#modules/entitlements/index.ts";
import type { LoadedAccount } from "../accounts/load-accounts.ts";

/**
 * Gives the granter of leases what it needs to keep a tenant within its cap, or takes it away with the cap. Part of the transaction
 * that writes the account. Tenants without a cap, and the sandbox, have none.
 */
export async function syncSpendBudget(
  tx: Tx,
  { loaded, after, atMs, now }: { loaded: LoadedAccount; after: Account; atMs: number; now: Date },
): Promise<void> {
  const { key, account: before, recordedTo } = loaded;
  const { cap, terms } = after;
  if (key.environment !== "live" || (cap === undefined && before.cap === undefined)) {
    return;
  }
  if (cap === undefined) {
    await setSpendBudgetWithin(tx, key.tenantId, { budget: undefined, now });
    return;
  }
  const spans = listSpendSpans(after, atMs);
  const meters = spans.flatMap(({ spend }) => spend.cards.map(({ meterId }) => meterId));
  await setSpendBudgetWithin(tx, key.tenantId, {
    budget: {
      cap,
      currency: terms.currency.code,
      meters: [...new Set(meters)].sort(),
      spans,
      fedTo: recordedTo,
    },
    now,
  });
}
