import type { Tx } from "@turnpike/db/client";

/** Counts calls that are not in the log, by minute. */
export async function addUnloggedCalls(
  tx: Tx,
  counts: readonly { minuteMs: number; calls: number }[],
): Promise<void> {
  const rows = counts
    .toSorted((one, other) => one.minuteMs - other.minuteMs)
    .map(({ minuteMs, calls }) => ({ minute: new Date(minuteMs).toISOString(), calls }));
  await tx`
    insert into unlogged_calls (minute, calls)
    select minute, calls from jsonb_to_recordset(${tx.json(rows)}) as input (minute timestamptz, calls bigint)
    order by minute
    on conflict (minute) do update set calls = unlogged_calls.calls + excluded.calls`;
}

/** How many calls that began in `[fromMs, toMs)` are not in the log, to the minute. */
export async function countUnloggedCalls(
  tx: Tx,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<number> {
  const [row] = await tx<{ calls: string }[]>`
    select coalesce(sum(calls), 0)::text as calls from unlogged_calls
    where minute >= date_trunc('minute', ${new Date(fromMs)}::timestamptz) and minute < ${new Date(toMs)}`;
  return Number(row?.calls ?? 0);
}

/** Deletes counts from before an instant. */
export async function deleteOldUnloggedCalls(tx: Tx, beforeMs: number): Promise<void> {
  await tx`delete from unlogged_calls where minute < ${new Date(beforeMs)}`;
}
