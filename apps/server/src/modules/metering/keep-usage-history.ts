import type { Tx } from "@turnpike/db/client";
import { databaseErrorCode } from "@turnpike/db/database-errors";
import {
  believeClock,
  keptFromMs,
  USAGE_CLASSES,
  type UsageRetention,
} from "@turnpike/domain/metering/usage-history";
import type { AppServices } from "#platform/app-services.ts";
import { holdRollUps } from "./recent-usage.store.ts";
import {
  detachOldPartition,
  dropDetachedPartition,
  lockHistoryRows,
  makePartitions,
  moveHistory,
  sweepOldRows,
} from "./usage-history.store.ts";

type Deps = Pick<AppServices, "transact" | "clock" | "logger">;

/** So long the job may fail before a commit finds no partition of its month. */
const MONTHS_AHEAD = 3;
/** Rows that are moved under a lock: a fraction of a second. */
const MOVED_MAX = 100_000;
const SWEPT_AT_ONCE = 5_000;
const SWEPT_A_RUN_MAX = 200_000;
/** Partitions dropped in one run: a class whose days were lowered may have many, and the next run is an hour away. */
const DROPPED_A_RUN_MAX = 200;
/** SQLSTATE of a lock that was not had in time. */
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Makes room for the coming months. Called at each start before calls are served, and by the job: whoever stood still for long
 * has its partitions before its first commit. A commit without one goes into the default partition, and nothing is lost.
 */
export async function prepareUsagePartitions(
  deps: Pick<Deps, "transact" | "logger">,
): Promise<number> {
  const { made, stranded } = await deps.transact.asMeter((tx) =>
    makePartitions(tx, { monthsAhead: MONTHS_AHEAD, rowsMax: MOVED_MAX }),
  );
  if (stranded > 0n) {
    deps.logger.warn(
      { stranded: Number(stranded) },
      "Usage stands outside the partition of its month: there was none when it came, and it is too much to be moved",
    );
  }
  return made;
}

/** Moves the beginning of each class on, which hides what lies before from every comparison, before anything is dropped. */
async function moveBeginnings(deps: Deps, retention: UsageRetention): Promise<void> {
  const nowMs = deps.clock.now().getTime();
  await deps.transact.asMeter(async (tx) => {
    const rows = await lockHistoryRows(tx);
    for (const name of USAGE_CLASSES) {
      const row = rows.find((candidate) => candidate.class === name);
      if (row === undefined) {
        continue;
      }
      const believedMs = believeClock(row.believed_at.getTime(), nowMs);
      const fromMs = keptFromMs(believedMs, retention[name]);
      await moveHistory(tx, {
        class: name,
        believedAt: new Date(believedMs),
        keptFrom: fromMs === undefined ? null : new Date(fromMs),
      });
    }
  });
}

/** One step in a transaction of its own. @returns Null when there is nothing left, or when a reader is in the way until the next run. */
async function step(deps: Deps, work: (tx: Tx) => Promise<string | null>): Promise<string | null> {
  try {
    return await deps.transact.asMeter(work);
  } catch (error) {
    if (databaseErrorCode(error) === LOCK_NOT_AVAILABLE) {
      return null;
    }
    throw error;
  }
}

async function dropOld(deps: Deps): Promise<number> {
  let dropped = 0;
  // What a run before this one took out and did not come to drop goes with the rest.
  for (let place = 0; place < DROPPED_A_RUN_MAX; place += 1) {
    const detached = await step(deps, async (tx) => {
      await holdRollUps(tx);
      return await detachOldPartition(tx);
    });
    const gone = await step(deps, dropDetachedPartition);
    if (gone !== null) {
      dropped += 1;
      deps.logger.info({ partition: gone }, "A partition of old usage was dropped");
    }
    if (detached === null && gone === null) {
      break;
    }
  }
  return dropped;
}

async function sweep(deps: Deps): Promise<number> {
  let swept = 0;
  let count = SWEPT_AT_ONCE;
  while (count >= SWEPT_AT_ONCE && swept < SWEPT_A_RUN_MAX) {
    count = await deps.transact.asMeter((tx) => sweepOldRows(tx, SWEPT_AT_ONCE));
    swept += count;
  }
  if (swept > 0) {
    deps.logger.warn(
      { rows: swept },
      "Usage came that is older than what is kept, such as an imported log, and was deleted again",
    );
  }
  return swept;
}

/**
 * Keeps usage as long as was asked for, by class, and makes room for the coming months. In small steps, each of which may fail
 * or be killed: the next run goes on. Idempotent; every process may run it.
 */
export async function keepUsageHistory(
  deps: Deps,
  retention: UsageRetention,
): Promise<{ made: number; dropped: number; swept: number }> {
  const made = await prepareUsagePartitions(deps);
  await moveBeginnings(deps, retention);
  const dropped = await dropOld(deps);
  const swept = await sweep(deps);
  return { made, dropped, swept };
}
