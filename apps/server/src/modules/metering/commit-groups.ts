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
import { entrySlot, type UsageGroup } from "./usage-group.ts";

/**
 * Sums the entries of groups that are committed together: under load a key has calls in every group of 50 ms, and a row for
 * each of them would cost the database more than all the rest of a call. A row bears the id of the first group it sums.
 */
function toLedgerRows(
  groups: readonly UsageGroup[],
  claimed: ReadonlyMap<string, Date>,
): LedgerRow[] {
  const rows = new Map<string, LedgerRow>();
  for (const { groupId, entries } of groups) {
    const recordedAt = claimed.get(groupId);
    if (recordedAt === undefined) {
      continue;
    }
    for (const entry of entries) {
      const slot = `${entry.tenantId}|${entrySlot(entry, entry.minuteMs)}|${String(recordedAt.getTime())}`;
      const row = rows.get(slot);
      if (row === undefined) {
        rows.set(slot, { ...entry, groupId, recordedAt });
      } else {
        row.calls += entry.calls;
        row.quantity += entry.quantity;
      }
    }
  }
  return [...rows.values()];
}

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
    const rows = toLedgerRows(fresh, claimed);
    if (rows.length === 0) {
      return 0;
    }
    // Every writer takes rollups, then balances, then leases, each in the order of its key: no deadlock.
    await insertEntries(tx, rows);
    await addToRollups(tx, "minute", rows);
    await addToRollups(tx, "hour", rows);
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
