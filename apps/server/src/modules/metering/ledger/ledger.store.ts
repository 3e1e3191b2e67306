import {
  instantsLiteral,
  numbersLiteral,
  textsLiteral,
  wordsLiteral,
} from "@turnpike/db/array-literal";
import type { Tx } from "@turnpike/db/client";
import type { KeyId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { PackedRow } from "./pack-rows.ts";
import type { GroupEntry, GroupSpend, UsageGroup } from "./usage-group.ts";

/**
 * Claims group ids. A group that has its id already was committed before and must not be written again.
 *
 * @returns The ids that are new.
 */
export async function claimGroups(
  tx: Tx,
  groups: readonly Pick<UsageGroup, "groupId" | "processId">[],
): Promise<Set<string>> {
  const rows = await tx<{ group_id: string }[]>`
    insert into ledger_groups (group_id, process_id)
    select group_id, process_id
    from unnest(
      ${wordsLiteral(groups.map((group) => group.groupId))}::text::text[],
      ${wordsLiteral(groups.map((group) => group.processId))}::text::text[]
    ) as input (group_id, process_id)
    order by group_id
    on conflict (group_id) do nothing
    returning group_id`;
  return new Set(rows.map((row) => row.group_id));
}

/**
 * Reads the instant at which this transaction records usage: later than every cut-off before it, and covered by every cut-off
 * that is taken once it has ended. Cut-offs wait for its end.
 */
export async function stampUsage(tx: Tx): Promise<Date> {
  const [row] = await tx<[{ recorded_at: Date }]>`select stamp_usage() as recorded_at`;
  return row.recorded_at;
}

/**
 * Takes a cut-off, for example of an invoice: usage recorded up to it is in the ledger, and usage recorded after this
 * transaction is later. New usage waits for the transaction to end.
 *
 * @throws The database's `lock_not_available` when commits hold it up for a second; try again.
 */
export async function cutOffUsage(tx: Tx): Promise<Date> {
  const [row] = await tx<[{ cut_off_at: Date }]>`select cut_off_usage() as cut_off_at`;
  return row.cut_off_at;
}

/** Deletes the ids of groups claimed more than `days` ago, at most `rowsMax`. @returns How many. */
export async function deleteOldGroups(tx: Tx, days: number, rowsMax: number): Promise<number> {
  const rows = await tx`
    delete from ledger_groups
    where group_id in (
      select group_id from ledger_groups
      where claimed_at < now() - make_interval(days => ${days}) order by claimed_at limit ${rowsMax}
    )
    returning 1`;
  return rows.length;
}

/** One entry to be written to the ledger. */
export type LedgerRow = Omit<
  GroupEntry,
  "method" | "route" | "bytesIn" | "bytesOut" | "latencies"
> & {
  groupId: string;
  /** Null: when the transaction records it. */
  recordedAtMs: number | null;
};

/** Entries that are stored as one row. */
type PackedEntry = PackedRow<LedgerRow>;

/** The rows of one statement, a literal of an array for each column. Values that differ by key are literals within it. */
export type EntryTexts = Record<
  | "tenantId"
  | "groupId"
  | "occurredAt"
  | "recordedAt"
  | "periodStart"
  | "meterId"
  | "environment"
  | "outcome"
  | "status"
  | "calls"
  | "quantity"
  | "keyId"
  | "keyIds"
  | "keyCalls"
  | "keyQuantities",
  string
>;

function sumOf(packed: PackedEntry, numberOf: (row: LedgerRow) => number): number {
  return packed.reduce((sum, row) => sum + numberOf(row), 0);
}

/** Builds what {@link insertEntries} writes: the work of this process, without that of the database. */
export function toEntryTexts(rows: readonly PackedEntry[]): EntryTexts {
  const common = rows.map(([first]) => first);
  const ofSeveral = (literalOf: (packed: PackedEntry) => string) =>
    textsLiteral(rows.map((packed) => (packed.length > 1 ? literalOf(packed) : null)));
  return {
    tenantId: wordsLiteral(common.map((row) => row.tenantId)),
    groupId: wordsLiteral(common.map((row) => row.groupId)),
    occurredAt: instantsLiteral(common.map((row) => row.minuteMs)),
    recordedAt: instantsLiteral(common.map((row) => row.recordedAtMs ?? undefined)),
    periodStart: instantsLiteral(common.map((row) => row.periodStartMs)),
    meterId: textsLiteral(common.map((row) => row.meterId)),
    environment: wordsLiteral(common.map((row) => row.environment)),
    outcome: wordsLiteral(common.map((row) => row.outcome)),
    status: numbersLiteral(common.map((row) => row.status)),
    calls: numbersLiteral(rows.map((packed) => sumOf(packed, (row) => row.calls))),
    quantity: numbersLiteral(rows.map((packed) => sumOf(packed, (row) => row.quantity))),
    keyId: textsLiteral(rows.map((packed) => (packed.length > 1 ? null : packed[0].keyId))),
    keyIds: ofSeveral((packed) => wordsLiteral(packed.map((row) => row.keyId))),
    keyCalls: ofSeveral((packed) => numbersLiteral(packed.map((row) => row.calls))),
    keyQuantities: ofSeveral((packed) => numbersLiteral(packed.map((row) => row.quantity))),
  };
}

/** @param recordedAt - Of the entries that bring no instant of their own. */
export async function insertEntries(tx: Tx, texts: EntryTexts, recordedAt: Date): Promise<void> {
  await tx`
    insert into ledger_entries (tenant_id, group_id, occurred_at, recorded_at, period_start, meter_id, environment,
      outcome, status, calls, quantity, key_id, key_ids, key_calls, key_quantities)
    select tenant_id, group_id, occurred_at, coalesce(recorded_at, ${recordedAt}), period_start, meter_id, environment, outcome,
      status, calls, quantity, key_id, key_ids::text[], key_calls::bigint[], key_quantities::numeric[]
    from unnest(
      ${texts.tenantId}::text::text[],
      ${texts.groupId}::text::text[],
      ${texts.occurredAt}::text::timestamptz[],
      ${texts.recordedAt}::text::timestamptz[],
      ${texts.periodStart}::text::timestamptz[],
      ${texts.meterId}::text::text[],
      ${texts.environment}::text::text[],
      ${texts.outcome}::text::text[],
      ${texts.status}::text::smallint[],
      ${texts.calls}::text::bigint[],
      ${texts.quantity}::text::numeric[],
      ${texts.keyId}::text::text[],
      ${texts.keyIds}::text::text[],
      ${texts.keyCalls}::text::text[],
      ${texts.keyQuantities}::text::text[]
    ) as input (tenant_id, group_id, occurred_at, recorded_at, period_start, meter_id, environment, outcome, status, calls,
      quantity, key_id, key_ids, key_calls, key_quantities)`;
}

/** Units added to one balance: of a tenant, or of a line of keys named by its first key. */
export type BalanceRow = {
  tenantId: TenantId;
  keyId: KeyId | undefined;
  meterId: string;
  environment: Environment;
  periodStartMs: number;
  periodEndMs: number;
  quantity: number;
};

/** Adds to balances of tenants, locking them in the order of their key. @param rows - One for each balance. */
export async function addToBalances(tx: Tx, rows: readonly BalanceRow[]): Promise<void> {
  await tx`
    insert into balances as b (tenant_id, meter_id, environment, period_start, period_end, used)
    select * from unnest(
      ${wordsLiteral(rows.map((row) => row.tenantId))}::text::text[],
      ${textsLiteral(rows.map((row) => row.meterId))}::text::text[],
      ${wordsLiteral(rows.map((row) => row.environment))}::text::text[],
      ${instantsLiteral(rows.map((row) => row.periodStartMs))}::text::timestamptz[],
      ${instantsLiteral(rows.map((row) => row.periodEndMs))}::text::timestamptz[],
      ${numbersLiteral(rows.map((row) => row.quantity))}::text::numeric[]
    ) as input (tenant_id, meter_id, environment, period_start, period_end, quantity)
    order by tenant_id collate "C", meter_id collate "C", environment collate "C", period_start
    on conflict (tenant_id, meter_id, environment, period_start) do update
      set used = b.used + excluded.used`;
}

/** Adds to balances of keys, locking them in the order of their key. @param rows - One for each balance. */
export async function addToKeyBalances(tx: Tx, rows: readonly BalanceRow[]): Promise<void> {
  await tx`
    insert into key_balances as b (tenant_id, key_id, meter_id, period_start, period_end, used)
    select * from unnest(
      ${wordsLiteral(rows.map((row) => row.tenantId))}::text::text[],
      ${wordsLiteral(rows.map((row) => row.keyId ?? ""))}::text::text[],
      ${textsLiteral(rows.map((row) => row.meterId))}::text::text[],
      ${instantsLiteral(rows.map((row) => row.periodStartMs))}::text::timestamptz[],
      ${instantsLiteral(rows.map((row) => row.periodEndMs))}::text::timestamptz[],
      ${numbersLiteral(rows.map((row) => row.quantity))}::text::numeric[]
    ) as input (tenant_id, key_id, meter_id, period_start, period_end, quantity)
    order by tenant_id collate "C", key_id collate "C", meter_id collate "C", period_start
    on conflict (tenant_id, key_id, meter_id, period_start) do update
      set used = b.used + excluded.used`;
}

/**
 * Takes committed units off the leases they were spent from.
 *
 * @param spends - One for each lease.
 * @returns How many leases held less than was spent from them: 0 unless the escrow rule is broken.
 */
export async function settleSpends(tx: Tx, spends: readonly GroupSpend[]): Promise<number> {
  if (spends.length === 0) {
    return 0;
  }
  const rows = await tx<{ settled: number }[]>`
    with input as (
      select * from unnest(
        ${wordsLiteral(spends.map((spend) => spend.tenantId))}::text::text[],
        ${wordsLiteral(spends.map((spend) => spend.leaseId))}::text::text[],
        ${numbersLiteral(spends.map((spend) => spend.quantity))}::text::numeric[]
      ) as input (tenant_id, lease_id, quantity)
    ), target as (
      select l.tenant_id, l.lease_id, l.remaining, input.quantity
      from leases l join input using (tenant_id, lease_id)
      order by 1, 2
      for update of l
    ), settled as (
      update leases l set remaining = greatest(l.remaining - target.quantity, 0)
      from target
      where l.tenant_id = target.tenant_id and l.lease_id = target.lease_id
      returning (target.remaining >= target.quantity) as whole
    )
    select count(*) filter (where whole)::int as settled from settled`;
  return spends.length - (rows[0]?.settled ?? 0);
}

/** @param callsWaiting - Recorded and not committed at this moment: what is lost if nothing is heard again. */
export async function upsertProcess(
  tx: Tx,
  {
    processId,
    nodeName,
    callsWaiting,
  }: {
    processId: ProcessId;
    nodeName: string | undefined;
    callsWaiting: number;
  },
): Promise<void> {
  await tx`
    insert into processes (process_id, node_name, calls_waiting, started_at, heartbeat_at)
    values (${processId}, ${nodeName ?? null}, ${callsWaiting}, now(), now())
    on conflict (process_id) do update set heartbeat_at = now(), calls_waiting = excluded.calls_waiting`;
}

/** It ended, or its journal was committed after it had died: nothing of it waits any more. */
export async function markProcessStopped(tx: Tx, processId: ProcessId): Promise<void> {
  await tx`
    update processes set stopped_at = now(), calls_waiting = 0 where process_id = ${processId}`;
}

export type LostProcess = { nodeName: string | null; callsWaiting: number; heardAt: Date };

/** Processes that are silent for a minute with calls that wait for a commit, the latest first; at most 20. */
export async function listLostProcesses(tx: Tx): Promise<LostProcess[]> {
  return [
    ...(await tx<LostProcess[]>`
      select node_name as "nodeName", calls_waiting::int as "callsWaiting", heartbeat_at as "heardAt"
      from processes
      where stopped_at is null and calls_waiting > 0 and heartbeat_at < now() - interval '1 minute'
      order by heartbeat_at desc limit 20`),
  ];
}
