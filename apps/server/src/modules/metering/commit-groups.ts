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
  toEntryTexts,
} from "./ledger.store.ts";
import { addToRollups, type RollupGrain, toRollupTexts } from "./rollups.store.ts";
import { SlotBook } from "./slot-book.ts";
import { createBalanceSums } from "./sum-balances.ts";
import { byRollupKey, createHourSums, createMinuteSums, type RollupRow } from "./sum-rollups.ts";
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

/** How a commit leaves calls their time. */
export type CommitPace = {
  /** Does a piece of work that keeps calls waiting for as long as it takes, then leaves them their time. */
  work<Result>(piece: () => Result): Promise<Result>;
  /** Leaves them the time of a core that the database may share with them, after a statement. */
  afterStatement(): Promise<void>;
};

const AT_ONCE: CommitPace = {
  work: (piece) => Promise.resolve(piece()),
  afterStatement: () => Promise.resolve(),
};

/** Rows taken at a time: putting a statement together is one piece of work. */
const ROWS_IN_ONE_GO = 125;

function* partsOf<Row>(rows: readonly Row[]): Iterable<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_IN_ONE_GO) {
    yield rows.slice(start, start + ROWS_IN_ONE_GO);
  }
}

/** Does something with parts of rows, in their order, a piece of work each. */
async function inParts<Row, Result>(
  pace: CommitPace,
  rows: readonly Row[],
  work: (part: Row[]) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const part of partsOf(rows)) {
    results.push(await pace.work(() => work(part)));
  }
  return results;
}

type GroupSums = {
  rows: LedgerRow[];
  minutes: readonly RollupRow[];
  /** One for each lease. */
  spends: GroupSpend[];
};

/**
 * Sums the entries of groups that are committed together: under load a key has calls in every group of 50 ms, and a row for
 * each of them would cost the database more than all the rest of a call. The same goes for methods and routes, which no
 * invoice asks for: they are in the rollups alone.
 */
async function sumGroups(
  groups: readonly (UsageGroup | StoredGroup)[],
  claimed: ReadonlyMap<string, Date>,
  pace: CommitPace,
): Promise<GroupSums> {
  const spends = new Map<string, GroupSpend>();
  const ledgers = new Map<number, ReturnType<typeof createLedgerSums>>();
  const minutes = createMinuteSums();

  function add(group: UsageGroup | StoredGroup, recordedAt: Date): void {
    const { groupId, entries, spends: spent } = "read" in group ? group.read() : group;
    for (const spend of spent) {
      const { tenantId, leaseId, quantity } = spend;
      const before = spends.get(leaseId)?.quantity ?? 0;
      spends.set(leaseId, { tenantId, leaseId, quantity: before + quantity });
    }
    const ledger = ledgers.get(recordedAt.getTime()) ?? createLedgerSums({ groupId, recordedAt });
    ledgers.set(recordedAt.getTime(), ledger);
    for (const entry of entries) {
      minutes.add(entry);
      if (entry.calls > 0) {
        const row = ledger.find(entry);
        row.calls += entry.calls;
        row.quantity += entry.quantity;
      }
    }
  }

  for (const group of groups) {
    const recordedAt = claimed.get(group.groupId);
    if (recordedAt !== undefined) {
      await pace.work(() => add(group, recordedAt));
    }
  }
  return {
    rows: [...ledgers.values()].flatMap(({ sums }) => sums),
    minutes: minutes.sums,
    spends: [...spends.values()],
  };
}

/** Puts together all that is written, in the order in which every writer takes rows. */
async function prepareWrites({ rows, minutes, spends }: GroupSums, pace: CommitPace) {
  const hours = createHourSums();
  await inParts(pace, minutes, (part) => part.forEach(hours.add));
  const balances = createBalanceSums();
  await inParts(pace, rows, (part) => part.forEach(balances.add));
  const rollups = async (grain: RollupGrain, sums: readonly RollupRow[]) => {
    const inOrder = await pace.work(() => sums.toSorted(byRollupKey));
    return await inParts(pace, inOrder, (part) => toRollupTexts(grain, part));
  };
  return {
    entries: await inParts(pace, rows, toEntryTexts),
    minutes: await rollups("minute", minutes),
    hours: await rollups("hour", hours.sums),
    ofTenants: await pace.work(balances.ofTenants),
    ofKeys: await pace.work(balances.ofKeys),
    spends,
  };
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
  const writes = await prepareWrites(await sumGroups(groups, claimed, pace), pace);
  for (const texts of writes.entries) {
    await insertEntries(tx, texts);
    await pace.afterStatement();
  }
  // Every writer takes rollups, then balances, then those of keys, then leases, each in the order of its key: no deadlock.
  for (const texts of writes.minutes) {
    await addToRollups(tx, "minute", texts);
    await pace.afterStatement();
  }
  for (const texts of writes.hours) {
    await addToRollups(tx, "hour", texts);
    await pace.afterStatement();
  }
  // From here on leases wait for the commit, and calls may wait for leases.
  for (const part of partsOf(writes.ofTenants)) {
    await addToBalances(tx, part);
  }
  for (const part of partsOf(writes.ofKeys)) {
    await addToKeyBalances(tx, part);
  }
  const unsettled = await settleSpends(tx, writes.spends);
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
