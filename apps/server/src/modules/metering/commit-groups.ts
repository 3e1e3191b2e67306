import type { Logger } from "#platform/logger.ts";
import type { Transact } from "#platform/transact.ts";
import {
  addToBalances,
  addToKeyBalances,
  claimGroups,
  insertEntries,
  type LedgerRow,
  settleSpends,
} from "./ledger.store.ts";
import { addToRollups } from "./rollups.store.ts";
import { sumRollups } from "./sum-rollups.ts";
import { ledgerSlot, type UsageGroup } from "./usage-group.ts";

/**
 * Sums the entries of groups that are committed together: under load a key has calls in every group of 50 ms, and a row for
 * each of them would cost the database more than all the rest of a call. The same goes for methods and routes, which no
 * invoice asks for: they are in the rollups alone. A row bears the id of the first group it sums.
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
      if (entry.calls === 0) {
        continue;
      }
      const slot = `${entry.tenantId}|${ledgerSlot(entry, entry.minuteMs)}|${String(recordedAt.getTime())}`;
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
    if (fresh.length === 0) {
      return 0;
    }
    const rows = toLedgerRows(fresh, claimed);
    const { minutes, hours } = sumRollups(fresh.flatMap((group) => group.entries));
    // Every writer takes rollups, then balances, then those of keys, then leases, each in the order of its key: no deadlock.
    await insertEntries(tx, rows);
    await addToRollups(tx, "minute", minutes);
    await addToRollups(tx, "hour", hours);
    await addToBalances(tx, rows);
    await addToKeyBalances(tx, rows);
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
