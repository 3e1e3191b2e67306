import type { Logger } from "#platform/logger.ts";
import type { Transact } from "#platform/transact.ts";
import {
  addToBalances,
  addToRollups,
  claimGroups,
  insertEntries,
  type LedgerRow,
  settleSpends,
} from "./ledger.store.ts";
import type { UsageGroup } from "./usage-group.ts";

/**
 * Writes groups to the ledger: dedupe, entries, rollups, balances and leases in one transaction. Safe to repeat: a group
 * that was committed before, by this process or by the one that crashed, is skipped whole.
 *
 * @returns How many of the groups were new.
 */
export async function commitGroups(
  deps: { transact: Transact; logger: Logger },
  groups: readonly UsageGroup[],
): Promise<number> {
  if (groups.length === 0) {
    return 0;
  }
  return await deps.transact.asMeter(async (tx) => {
    const claimed = await claimGroups(tx, groups);
    const fresh = groups.filter((group) => claimed.has(group.groupId));
    const rows: LedgerRow[] = fresh.flatMap((group) => {
      const recordedAt = claimed.get(group.groupId);
      return recordedAt === undefined
        ? []
        : group.entries.map((entry) => ({ ...entry, groupId: group.groupId, recordedAt }));
    });
    if (rows.length === 0) {
      return 0;
    }
    // Every writer takes rollups, then balances, then leases, each in the order of its key: no deadlock.
    await insertEntries(tx, rows);
    await addToRollups(tx, rows);
    await addToBalances(tx, rows);
    const unsettled = await settleSpends(
      tx,
      fresh.flatMap((group) => group.spends),
    );
    if (unsettled > 0) {
      deps.logger.error({ unsettled }, "Usage was committed beyond the lease it was spent from");
    }
    return fresh.length;
  });
}
