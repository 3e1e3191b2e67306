import type { Tx } from "@turnpike/db/client";
import { databaseErrorCode } from "@turnpike/db/database-errors";
import {
  believeClock,
  keptFromMs,
  USAGE_CLASSES,
  type UsageRetention,
} from "@turnpike/domain/metering/usage-history";
import type { AppServices } from "#platform/app-services.ts";
import { holdRollUps } from "../rollups/recent-usage.store.ts";
import {
  detachOldPartition,
  dropDetachedPartition,
  lockHistoryRows,
  makePartitions,
  moveHistory,
  sweepOldRows,
} from "./usage-history.store.ts";

type Deps = Pick<AppServices, "transact" | "clock" | "logger">;

/** The job may fail for this long before a commit finds no partition of its month. */
const MONTHS_AHEAD = 3;
/** Rows moved under a lock at most, which takes a fraction of a second. */
const MOVED_MAX = 100_000;
const SWEPT_AT_ONCE = 5_000;
const SWEPT_A_RUN_MAX = 200_000;
/** Partitions dropped in one run: a class whose days were lowered may have many, and the next run is an hour away. */
const DROPPED_A_RUN_MAX = 200;
/** SQLSTATE of a lock timeout. */
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Makes the partitions of the coming months. Called at each start before calls are served, so that an installation that was
 * off for long has them before its first commit, and by the job. A commit without one goes to the default partition; nothing is
 * lost.
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
      "Usage is outside the partition of its month: there was none when it came, and it is too much to move",
    );
  }
  return made;
}

/** Moves the start of each class forward. That hides earlier usage from every comparison before anything is dropped. */
async function moveStarts(deps: Deps, retention: UsageRetention): Promise<void> {
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

/** Runs one step in a transaction of its own. @returns Null when nothing is left, or when a reader blocks it until the next run. */
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
  // Also drops what an earlier run detached and did not come to drop.
  for (let count = 0; count < DROPPED_A_RUN_MAX; count += 1) {
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
      "Usage older than what is kept, such as an imported log, was deleted again",
    );
  }
  return swept;
}

/**
 * Keeps each class of usage for as long as configured, and makes the partitions of the coming months. Works in small steps; when
 * one fails or is killed, the next run continues. Idempotent; every process may run it.
 */
export async function keepUsageHistory(
  deps: Deps,
  retention: UsageRetention,
): Promise<{ made: number; dropped: number; swept: number }> {
  const made = await prepareUsagePartitions(deps);
  await moveStarts(deps, retention);
  const dropped = await dropOld(deps);
  const swept = await sweep(deps);
  return { made, dropped, swept };
}
