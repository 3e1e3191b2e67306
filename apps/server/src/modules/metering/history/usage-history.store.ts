import type { Tx } from "@turnpike/db/client";
import type { UsageClass } from "@turnpike/domain/metering/usage-history";

export type HistoryRow = {
  class: UsageClass;
  /** Start of a month, UTC; null: from the beginning. */
  kept_from: Date | null;
  /** What retention takes the time to be. */
  believed_at: Date;
};

/** Reads from when on usage is kept, to change it: others wait until the transaction ends. */
export async function lockHistoryRows(tx: Tx): Promise<HistoryRow[]> {
  return await tx<HistoryRow[]>`
    select class, kept_from, believed_at from usage_history order by class for update`;
}

/** Moves the start of what is kept. It never moves back, because dropped usage does not return. */
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
 * Makes the partitions of this month and the coming ones, and moves earlier rows of these months into them.
 *
 * @returns How many were made, and how many rows had to stay outside the partition of their month.
 */
export async function makePartitions(
  tx: Tx,
  input: { monthsAhead: number; rowsMax: number },
): Promise<{ made: number; stranded: bigint }> {
  const [row] = await tx<{ made: number; stranded: bigint }[]>`
    select made, stranded from make_usage_partitions(${input.monthsAhead}, ${input.rowsMax})`;
  return row ?? { made: 0, stranded: 0n };
}

/** Detaches one partition that is no longer kept. @returns Its name, null when there is none. */
export async function detachOldPartition(tx: Tx): Promise<string | null> {
  const [row] = await tx<{ name: string | null }[]>`select detach_old_usage() as name`;
  return row?.name ?? null;
}

/** Drops one detached partition. @returns Its name, null when there is none. */
export async function dropDetachedPartition(tx: Tx): Promise<string | null> {
  const [row] = await tx<{ name: string | null }[]>`select drop_detached_usage() as name`;
  return row?.name ?? null;
}

/** Deletes rows that are no longer kept and are in no month's partition. @returns How many. */
export async function sweepOldRows(tx: Tx, rowsMax: number): Promise<number> {
  const [row] = await tx<{ swept: number }[]>`select sweep_old_usage(${rowsMax})::int as swept`;
  return row?.swept ?? 0;
}
