import type { Tx } from "@turnpike/db/client";
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
import { SlotBook } from "./slot-book.ts";
import { sumBalances } from "./sum-balances.ts";
import { byRollupKey, createRollupSums, type RollupRow } from "./sum-rollups.ts";
import {
  type GroupEntry,
  type GroupSpend,
  isSameButForMinute,
  ledgerRowName,
  type StoredGroup,
  type UsageGroup,
} from "./usage-group.ts";

/** Rows of the ledger for entries that are recorded at one instant; each bears the id of the first group of them. */
function createLedgerSums(recorded: { groupId: string; recordedAt: Date }) {
  return new SlotBook<GroupEntry, LedgerRow>({
    ownerOf: (entry) => entry.keyId,
    isOf: (row, entry) => row.minuteMs === entry.minuteMs && isSameButForMinute(row, entry),
    nameOf: ledgerRowName,
    start: (entry) => ({
      ...recorded,
      tenantId: entry.tenantId,
      keyId: entry.keyId,
      originKeyId: entry.originKeyId,
      environment: entry.environment,
      meterId: entry.meterId,
      outcome: entry.outcome,
      status: entry.status,
      minuteMs: entry.minuteMs,
      periodStartMs: entry.periodStartMs,
      periodEndMs: entry.periodEndMs,
      calls: 0,
      quantity: 0,
    }),
  });
}

/** Called between the pieces of a commit: what is waited for is the turn of the calls. */
export type CommitPace = {
  beforeGroup(): Promise<void> | undefined;
  /** After a statement, while nothing is locked that a call could wait for. */
  afterRows(rows: number): Promise<void> | undefined;
};

const AT_ONCE: CommitPace = { beforeGroup: () => undefined, afterRows: () => undefined };

/**
 * Sums the entries of groups that are committed together: under load a key has calls in every group of 50 ms, and a row for
 * each of them would cost the database more than all the rest of a call. The same goes for methods and routes, which no
 * invoice asks for: they are in the rollups alone.
 */
async function sumGroups(
  groups: readonly (UsageGroup | StoredGroup)[],
  claimed: ReadonlyMap<string, Date>,
  pace: CommitPace,
): Promise<{ rows: LedgerRow[]; minutes: RollupRow[]; hours: RollupRow[]; spends: GroupSpend[] }> {
  const spends: GroupSpend[] = [];
  const ledgers = new Map<number, ReturnType<typeof createLedgerSums>>();
  const rollups = createRollupSums();
  for (const group of groups) {
    await pace.beforeGroup();
    const recordedAt = claimed.get(group.groupId);
    if (recordedAt === undefined) {
      continue;
    }
    const { groupId, entries, spends: spent } = "read" in group ? group.read() : group;
    spends.push(...spent);
    const ledger = ledgers.get(recordedAt.getTime()) ?? createLedgerSums({ groupId, recordedAt });
    ledgers.set(recordedAt.getTime(), ledger);
    for (const entry of entries) {
      rollups.add(entry);
      if (entry.calls > 0) {
        const row = ledger.find(entry);
        row.calls += entry.calls;
        row.quantity += entry.quantity;
      }
    }
  }
  return { rows: [...ledgers.values()].flatMap(({ sums }) => sums), ...rollups.sums(), spends };
}

/** Rows written in one statement: putting a statement together is one piece of work, for which calls have to wait. */
const ROWS_IN_ONE_GO = 125;

function* partsOf<Row>(rows: readonly Row[]): Iterable<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_IN_ONE_GO) {
    yield rows.slice(start, start + ROWS_IN_ONE_GO);
  }
}

/**
 * Writes groups to the ledger in the transaction of its caller: dedupe, entries, rollups, balances and leases. A group that
 * was committed before, by this process or by the one that crashed, is skipped whole.
 *
 * @param pace - Left out: nobody else wants a turn.
 * @returns How many of the groups were new.
 */
export async function writeGroups(
  tx: Tx,
  logger: Logger,
  groups: readonly (UsageGroup | StoredGroup)[],
  pace: CommitPace = AT_ONCE,
): Promise<number> {
  const claimed = await claimGroups(tx, groups);
  if (claimed.size === 0) {
    return 0;
  }
  const { rows, minutes, hours, spends } = await sumGroups(groups, claimed, pace);
  // Every writer takes rollups, then balances, then those of keys, then leases, each in the order of its key: no deadlock.
  for (const part of partsOf(rows)) {
    await insertEntries(tx, part);
    await pace.afterRows(part.length);
  }
  for (const part of partsOf(minutes.sort(byRollupKey))) {
    await addToRollups(tx, "minute", part);
    await pace.afterRows(part.length);
  }
  for (const part of partsOf(hours.sort(byRollupKey))) {
    await addToRollups(tx, "hour", part);
    await pace.afterRows(part.length);
  }
  // From here on leases wait for the commit, and calls may wait for leases.
  const balances = sumBalances(rows);
  for (const part of partsOf(balances.ofTenants)) {
    await addToBalances(tx, part);
  }
  for (const part of partsOf(balances.ofKeys)) {
    await addToKeyBalances(tx, part);
  }
  const unsettled = await settleSpends(tx, spends);
  if (unsettled > 0) {
    logger.error({ unsettled }, "Usage was committed beyond the lease it was spent from");
  }
  return claimed.size;
}

/**
 * Writes groups to the ledger in one transaction, which is safe to repeat: see {@link writeGroups}.
 *
 * @returns How many of the groups were new.
 */
export async function commitGroups(
  deps: { transact: Transact; logger: Logger },
  groups: readonly (UsageGroup | StoredGroup)[],
  pace?: CommitPace,
): Promise<number> {
  return groups.length === 0
    ? 0
    : await deps.transact.asMeter((tx) => writeGroups(tx, deps.logger, groups, pace));
}
