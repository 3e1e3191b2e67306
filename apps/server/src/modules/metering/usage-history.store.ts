import type { Tx } from "@turnpike/db/client";
import type { UsageClass } from "@turnpike/domain/metering/usage-history";

export type HistoryRow = {
  class: UsageClass;
  /** Start of a month, UTC; null: from the beginning. */
  kept_from: Date | null;
  /** What retention believed the time to be. */
  believed_at: Date;
};

/** From when on usage is kept, for who is about to change it: others wait until the end of the transaction. */
export async function lockHistoryRows(tx: Tx): Promise<HistoryRow[]> {
  return await tx<HistoryRow[]>`
    select class, kept_from, believed_at from usage_history order by class for update`;
}

/** Moves the beginning of what is kept. It never moves back: what is gone does not come again. */
export async function moveHistory(
  tx: Tx,
  input: { class: UsageClass; keptFrom: Date | null; believedAt: Date },
): Promise<void> {
  await tx`
    update usage_history
    set believed_at = ${input.believedAt}, kept_from = greatest(kept_from, ${input.keptFrom}::timestamptz)
    where class = ${input.class}`;
}

/**
 * Makes the partitions of this month and the coming ones, and takes rows into them that came before there was one.
 *
 * @returns How many were made, and how many rows had to be left outside the partition of their month.
 */
export async function makePartitions(
  tx: Tx,
  input: { monthsAhead: number; rowsMax: number },
): Promise<{ made: number; stranded: bigint }> {
  const [row] = await tx<{ made: number; stranded: bigint }[]>`
    select made, stranded from make_usage_partitions(${input.monthsAhead}, ${input.rowsMax})`;
  return row ?? { made: 0, stranded: 0n };
}

/** Takes one partition that is not kept out of its table. @returns Its name, null when there is none. */
export async function detachOldPartition(tx: Tx): Promise<string | null> {
  const [row] = await tx<{ name: string | null }[]>`select detach_old_usage() as name`;
  return row?.name ?? null;
}

/** Deletes one partition that was taken out. @returns Its name, null when there is none. */
export async function dropDetachedPartition(tx: Tx): Promise<string | null> {
  const [row] = await tx<{ name: string | null }[]>`select drop_detached_usage() as name`;
  return row?.name ?? null;
}

/** Deletes rows that are not kept and are in no month's partition. @returns How many. */
export async function sweepOldRows(tx: Tx, rowsMax: number): Promise<number> {
  const [row] = await tx<{ swept: number }[]>`select sweep_old_usage(${rowsMax})::int as swept`;
  return row?.swept ?? 0;
}
