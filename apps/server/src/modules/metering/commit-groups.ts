import type { Tx } from "@turnpike/db/client";
import type { Logger } from "#platform/logger.ts";
import type { Transact } from "#platform/transact.ts";
import { type KeyPart, KeyParts } from "./key-parts.ts";
import {
  addToBalances,
  addToKeyBalances,
  type BalanceRow,
  claimGroups,
  insertEntries,
  type LedgerRow,
  settleSpends,
  toEntryTexts,
} from "./ledger.store.ts";
import { findLimitedKeys, shareLimitedKeys } from "./limited-keys.store.ts";
import { insertRecentUsage, toRecentTexts } from "./recent-usage.store.ts";
import { SlotBook } from "./slot-book.ts";
import { createKeySums, createTenantSums } from "./sum-balances.ts";
import {
  createRecentParts,
  createRecentSums,
  isOwable,
  type RecentRow,
} from "./sum-recent-usage.ts";
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

/** Entries that were recorded at one instant bear the same group. */
function createLedgerParts(): KeyParts<LedgerRow> {
  return new KeyParts({
    isSameButForKey: (one, other) =>
      one.minuteMs === other.minuteMs &&
      one.recordedAt.getTime() === other.recordedAt.getTime() &&
      isSameButForMinute(one, other),
    nameOf: (row) => `${String(row.recordedAt.getTime())}|${ledgerRowName(row)}`,
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
/** The same of keys in parts, which take less each. */
const KEYS_IN_ONE_GO = 96;

function* partsOf<Row>(rows: readonly Row[]): Iterable<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_IN_ONE_GO) {
    yield rows.slice(start, start + ROWS_IN_ONE_GO);
  }
}

/** Parts that are written by one statement. */
function* inOneGo<Row>(parts: Iterable<KeyPart<Row>>): Iterable<KeyPart<Row>[]> {
  let taken: KeyPart<Row>[] = [];
  let keys = 0;
  for (const part of parts) {
    taken.push(part);
    keys += part.length;
    if (keys >= KEYS_IN_ONE_GO || taken.length >= ROWS_IN_ONE_GO) {
      yield taken;
      taken = [];
      keys = 0;
    }
  }
  if (taken.length > 0) {
    yield taken;
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
  recent: readonly RecentRow[];
  /** One for each lease. */
  spends: GroupSpend[];
};

/**
 * Sums the entries of groups that are committed together: under load a key has calls in every group of 50 ms, and a row for
 * each of them would cost the database more than all the rest of a call. The same goes for methods and routes, which no
 * invoice asks for: they are in recent usage and the rollups alone.
 */
async function sumGroups(
  groups: readonly (UsageGroup | StoredGroup)[],
  claimed: ReadonlyMap<string, Date>,
  pace: CommitPace,
): Promise<GroupSums> {
  const spends = new Map<string, GroupSpend>();
  const ledgers = new Map<number, ReturnType<typeof createLedgerSums>>();
  const recent = createRecentSums();

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
      recent.add(entry);
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
    recent: recent.sums,
    spends: [...spends.values()],
  };
}

/** Joins rows that differ in nothing but their key, and makes the texts of the parts, some for each statement. */
async function toStatements<Row extends { tenantId: string }, Texts>(
  pace: CommitPace,
  input: {
    rows: readonly Row[];
    parts: KeyParts<Row>;
    toTexts: (parts: readonly KeyPart<Row>[]) => Texts;
  },
): Promise<Texts[]> {
  const { rows, parts, toTexts } = input;
  await inParts(pace, rows, (some) => {
    for (const row of some) {
      parts.add(row);
    }
  });
  const statements: Texts[] = [];
  for (const some of inOneGo(parts.parts())) {
    statements.push(await pace.work(() => toTexts(some)));
  }
  return statements;
}

/** Puts together all that is written, but for the balances of keys. */
async function prepareWrites({ rows, recent, spends }: GroupSums, pace: CommitPace) {
  const tenants = createTenantSums();
  await inParts(pace, rows, (part) => part.forEach(tenants.add));
  return {
    entries: await toStatements(pace, { rows, parts: createLedgerParts(), toTexts: toEntryTexts }),
    recent: await toStatements(pace, {
      rows: recent,
      parts: createRecentParts(),
      toTexts: toRecentTexts,
    }),
    ofTenants: await pace.work(tenants.inOrder),
    spends,
  };
}

/**
 * Balances of keys that are written with their entries: of limited keys, which stay limited or not until the transaction is over,
 * and of rolled ones. To all others it is owed.
 */
async function findKeyBalances(tx: Tx, rows: readonly LedgerRow[]): Promise<BalanceRow[]> {
  await shareLimitedKeys(tx);
  const limited = await findLimitedKeys(tx, rows);
  const keys = createKeySums();
  for (const row of rows) {
    if (!isOwable(row) || limited.has(row.keyId)) {
      keys.add(row);
    }
  }
  return keys.inOrder();
}

/**
 * Writes groups to the ledger in the transaction of its caller: dedupe, entries, what rollups will take, balances and leases. A group that
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
  const sums = await sumGroups(groups, claimed, pace);
  const writes = await prepareWrites(sums, pace);
  for (const texts of writes.entries) {
    await insertEntries(tx, texts);
    await pace.afterStatement();
  }
  for (const texts of writes.recent) {
    await insertRecentUsage(tx, texts);
    await pace.afterStatement();
  }
  // Behind all pauses: who makes a key limited waits from here on, and others wait for that one.
  const ofKeys = await findKeyBalances(tx, sums.rows);
  // Every writer takes balances, then those of keys, then leases, each in the order of its key: no deadlock.
  // From here on leases wait for the commit, and calls may wait for leases.
  for (const part of partsOf(writes.ofTenants)) {
    await addToBalances(tx, part);
  }
  for (const part of partsOf(ofKeys)) {
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
