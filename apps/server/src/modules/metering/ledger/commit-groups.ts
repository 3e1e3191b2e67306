import type { Tx } from "@turnpike/db/client";
import type { Logger } from "#platform/logger.ts";
import type { Transact } from "#platform/transact.ts";
import { insertRecentUsage, toRecentTexts } from "../rollups/recent-usage.store.ts";
import {
  createRecentPacker,
  createRecentSums,
  type RecentRow,
} from "../rollups/sum-recent-usage.ts";
import { type CommitPace, NO_PACE } from "./commit-pace.ts";
import {
  addToBalances,
  addToKeyBalances,
  type BalanceRow,
  claimGroups,
  insertEntries,
  type LedgerRow,
  settleSpends,
  stampUsage,
  toEntryTexts,
} from "./ledger.store.ts";
import { mayBePending, readLimitedKeys } from "./limited-keys.ts";
import { type PackedRow, RowPacker } from "./pack-rows.ts";
import { createKeySums, createTenantSums } from "./sum-balances.ts";
import { SumRegistry } from "./sum-registry.ts";
import {
  type GroupEntry,
  type GroupSpend,
  isSameButForMinute,
  ledgerRowName,
  type StoredGroup,
  type UsageGroup,
} from "./usage-group.ts";

/** Sums entries that are recorded at one instant to rows of the ledger. Each row has the id of the first group of them. */
function createLedgerSums(recorded: { groupId: string; recordedAtMs: number | null }) {
  return new SumRegistry<GroupEntry, LedgerRow>({
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

/** Entries recorded at the same instant have the same group id, so it need not be compared. */
function createLedgerPacker(): RowPacker<LedgerRow> {
  return new RowPacker({
    isSameButForKey: (one, other) =>
      one.minuteMs === other.minuteMs &&
      one.recordedAtMs === other.recordedAtMs &&
      isSameButForMinute(one, other),
    nameOf: (row) => `${String(row.recordedAtMs)}|${ledgerRowName(row)}`,
  });
}

/** Rows handled in one piece of work: building one statement is such a piece. */
const ROWS_AT_ONCE = 125;
/** Keys in packed rows of one statement; they take less work each. */
const KEYS_AT_ONCE = 96;

function* batchesOf<Row>(rows: readonly Row[]): Iterable<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    yield rows.slice(start, start + ROWS_AT_ONCE);
  }
}

/** Packed rows, split into those of one statement each. */
function* perStatement<Row>(packed: Iterable<PackedRow<Row>>): Iterable<PackedRow<Row>[]> {
  let taken: PackedRow<Row>[] = [];
  let keys = 0;
  for (const row of packed) {
    taken.push(row);
    keys += row.length;
    if (keys >= KEYS_AT_ONCE || taken.length >= ROWS_AT_ONCE) {
      yield taken;
      taken = [];
      keys = 0;
    }
  }
  if (taken.length > 0) {
    yield taken;
  }
}

/** Handles rows batch by batch, in their order; each batch is one piece of work. */
async function inBatches<Row>(
  pace: CommitPace,
  rows: readonly Row[],
  work: (batch: Row[]) => void,
): Promise<void> {
  for (const batch of batchesOf(rows)) {
    await pace.work(() => work(batch));
  }
}

type GroupSums = {
  rows: LedgerRow[];
  recent: readonly RecentRow[];
  /** One for each lease. */
  spends: GroupSpend[];
};

/**
 * Sums the entries of groups that are committed together. Under load a key has calls in every group of 50 ms, and a row for
 * each would cost the database more than the rest of a call. Methods and routes, which no invoice needs, are kept in recent
 * usage and rollups alone.
 */
async function sumGroups(
  groups: readonly (UsageGroup | StoredGroup)[],
  claimed: ReadonlySet<string>,
  pace: CommitPace,
): Promise<GroupSums> {
  const spends = new Map<string, GroupSpend>();
  const ledgers = new Map<number | null, ReturnType<typeof createLedgerSums>>();
  const recent = createRecentSums();

  function add(group: UsageGroup | StoredGroup): void {
    const { recordedAtMs } = group;
    const { groupId, entries, spends: spent } = "read" in group ? group.read() : group;
    for (const spend of spent) {
      const { tenantId, leaseId, quantity } = spend;
      const before = spends.get(leaseId)?.quantity ?? 0;
      spends.set(leaseId, { tenantId, leaseId, quantity: before + quantity });
    }
    const ledger = ledgers.get(recordedAtMs) ?? createLedgerSums({ groupId, recordedAtMs });
    ledgers.set(recordedAtMs, ledger);
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
    if (claimed.has(group.groupId)) {
      await pace.work(() => add(group));
    }
  }
  return {
    rows: [...ledgers.values()].flatMap(({ sums }) => sums),
    recent: recent.sums,
    spends: [...spends.values()],
  };
}

/** Packs rows that differ only in their key, and builds the texts of the statements that insert them. */
async function toStatements<Row extends { tenantId: string }, Texts>(
  pace: CommitPace,
  input: {
    rows: readonly Row[];
    packer: RowPacker<Row>;
    toTexts: (packed: readonly PackedRow<Row>[]) => Texts;
  },
): Promise<Texts[]> {
  const { rows, packer, toTexts } = input;
  await inBatches(pace, rows, (batch) => {
    for (const row of batch) {
      packer.add(row);
    }
  });
  const statements: Texts[] = [];
  for (const packed of perStatement(packer.packed())) {
    statements.push(await pace.work(() => toTexts(packed)));
  }
  return statements;
}

/** Prepares everything that is written except the balances of keys. */
async function prepareWrites({ rows, recent, spends }: GroupSums, pace: CommitPace) {
  const tenants = createTenantSums();
  await inBatches(pace, rows, (batch) => batch.forEach(tenants.add));
  return {
    entries: await toStatements(pace, {
      rows,
      packer: createLedgerPacker(),
      toTexts: toEntryTexts,
    }),
    recent: await toStatements(pace, {
      rows: recent,
      packer: createRecentPacker(),
      toTexts: toRecentTexts,
    }),
    ofTenants: await pace.work(tenants.inOrder),
    spends,
  };
}

/** Sums the balances of keys that are written now: those of limited and of rolled keys. The usage of all others is pending. */
async function sumKeyBalances(tx: Tx, rows: readonly LedgerRow[]): Promise<BalanceRow[]> {
  const limited = await readLimitedKeys(tx, rows);
  const keys = createKeySums();
  for (const row of rows) {
    if (!mayBePending(row) || limited.has(row.keyId)) {
      keys.add(row);
    }
  }
  return keys.inOrder();
}

/**
 * Writes groups to the ledger in the caller's transaction: dedupe, entries, recent usage, balances and leases. Skips every group
 * that was committed before, by this process or by one that crashed.
 *
 * @param pace - Left out: nothing else needs the time.
 * @returns How many of the groups were new.
 */
export async function writeGroups(
  tx: Tx,
  logger: Logger,
  groups: readonly (UsageGroup | StoredGroup)[],
  pace: CommitPace = NO_PACE,
): Promise<number> {
  const claimed = await claimGroups(tx, groups);
  if (claimed.size === 0) {
    return 0;
  }
  const sums = await sumGroups(groups, claimed, pace);
  const writes = await prepareWrites(sums, pace);
  // After the pauses for preparing, because cut-offs wait from here on.
  const recordedAt = await stampUsage(tx);
  for (const texts of writes.entries) {
    await insertEntries(tx, texts, recordedAt);
    await pace.afterStatement();
  }
  for (const texts of writes.recent) {
    await insertRecentUsage(tx, texts);
    await pace.afterStatement();
  }
  // After all pauses: from here on a key that is made limited waits for this commit, and other commits wait for that key.
  const ofKeys = await sumKeyBalances(tx, sums.rows);
  // Every writer locks balances, then those of keys, then leases, each in the order of its key, so none can deadlock. From here
  // on leases wait for the commit, and calls may wait for leases.
  for (const batch of batchesOf(writes.ofTenants)) {
    await addToBalances(tx, batch);
  }
  for (const batch of batchesOf(ofKeys)) {
    await addToKeyBalances(tx, batch);
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
