import type { Tx } from "@turnpike/db/client";
import { insertChange } from "#platform/changes.store.ts";
import {
  type BudgetKey,
  deleteSpendBudget,
  type SpendBudget,
  writeSpendBudget,
} from "./spend-budgets.store.ts";

/**
 * Sets what keeps the spend of a tenant within its cap and its credit, or with `undefined` ends it. Where that changes what a tenant may do, every
 * process gives its leases back and asks anew, so that a lower limit counts within a second and a higher one at once. Part of the caller's
 * transaction, which must be one of the operator role.
 */
export async function setSpendBudgetWithin(
  tx: Tx,
  key: BudgetKey,
  {
    budget,
    settles = false,
    now,
  }: {
    budget: SpendBudget | undefined;
    /** True where calls that nothing holds back have to be counted before any draw on credit. */
    settles?: boolean;
    now: Date;
  },
): Promise<void> {
  const isChanged =
    budget === undefined
      ? (await deleteSpendBudget(tx, key)) > 0
      : await writeSpendBudget(tx, key, { ...budget, settles, now });
  if (isChanged) {
    const { tenantId } = key;
    await insertChange(tx, { kind: "tenant", tenantId, entityId: tenantId });
  }
}
