import { AppError } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import type { ClickHouse } from "#platform/clickhouse.ts";
import { findKeptFrom } from "../queries/analytics.store.ts";
import {
  deleteCopies,
  dropTable,
  ensureTable,
  findLastCopy,
  insertHours,
} from "./copied-usage.store.ts";
import {
  beginFeed,
  countHours,
  dropHoursBefore,
  type Feed,
  findFeed,
  finishCopies,
  forgetCopies,
  listChanges,
  listHoursToCopy,
  listPastCopies,
  lockCopying,
  type MadeCopy,
  numberCopies,
  streamHours,
} from "./usage-copies.store.ts";

export type CopyDeps = Pick<AppServices, "transact" | "logger" | "randomBytes"> & {
  clickhouse: ClickHouse;
};

export type CopyProgress = {
  /** Hours that wait to be copied, and all hours that have usage. */
  waiting: number;
  all: number;
};

type CopyOptions = {
  /** Ends it between two batches. */
  signal?: AbortSignal | undefined;
  /** Called after each batch. */
  onProgress?: ((progress: CopyProgress) => void) | undefined;
};

/** Hours of one batch: it is copied in one snapshot, and is lost when the process ends in between. */
const HOURS_AT_ONCE = 24;
const BATCH_TIMEOUT_MS = 10 * 60_000;
const BATCH = {
  tenantId: null,
  timeoutMs: BATCH_TIMEOUT_MS,
  transactionTimeoutMs: BATCH_TIMEOUT_MS,
} as const;
const ROWS_AT_ONCE = 10_000;
const PAST_COPIES_MAX = 10_000;

function newFeedId(deps: Pick<AppServices, "randomBytes">): string {
  return Buffer.from(deps.randomBytes(8)).toString("hex");
}

/** Begins a new feed in place of the one that the database has, if any. */
async function replaceFeed(deps: CopyDeps, former: Feed | undefined): Promise<Feed> {
  const feedId = newFeedId(deps);
  await ensureTable(deps.clickhouse, feedId);
  // Looks through all hours of all tenants.
  await deps.transact.asOperatorWithDeleted((tx) => beginFeed(tx, feedId), {
    timeoutMs: BATCH_TIMEOUT_MS,
  });
  if (former !== undefined) {
    await dropTable(deps.clickhouse, former.feed_id);
  }
  return { feed_id: feedId, last_copy: 0n };
}

/**
 * Finds the feed to copy to. Begins one where there is none, and another one where ClickHouse has copies that the database does
 * not know: the database was restored, and their numbers would be used again.
 */
async function openFeed(deps: CopyDeps): Promise<Feed> {
  const feed = await deps.transact.asOperator(findFeed);
  if (feed === undefined) {
    return await replaceFeed(deps, undefined);
  }
  await ensureTable(deps.clickhouse, feed.feed_id);
  if ((await findLastCopy(deps.clickhouse, feed.feed_id)) <= feed.last_copy) {
    return feed;
  }
  deps.logger.warn("ClickHouse has later copies of usage than the database: all are made anew");
  return await replaceFeed(deps, feed);
}

/** Copies some hours under new numbers. @returns How many; 0 when none waits, or another process copies. */
async function copyBatch(
  deps: CopyDeps,
  { feed_id: feedId }: Feed,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { transact, clickhouse } = deps;
  const made = await transact.asAnalyst(BATCH, async (tx): Promise<MadeCopy[]> => {
    const hours = (await lockCopying(tx)) ? await listHoursToCopy(tx, HOURS_AT_ONCE) : [];
    if (hours.length === 0) {
      return [];
    }
    // Written down for good before anything has such a number.
    const copies = await transact.asOperator((writing) => numberCopies(writing, hours));
    const copyOf = new Map(hours.map((hour, index) => [hour.getTime(), copies[index] ?? 0n]));
    for await (const rows of streamHours(tx, hours, ROWS_AT_ONCE)) {
      await insertHours(clickhouse, feedId, rows, copyOf);
      if (signal?.aborted === true) {
        return [];
      }
    }
    return (await listChanges(tx, hours)).map(({ occurred_at: occurredAt, changes }) => ({
      occurredAt,
      changes,
      copy: copyOf.get(occurredAt.getTime()) ?? 0n,
    }));
  });
  if (made.length > 0) {
    await transact.asOperator((tx) => finishCopies(tx, feedId, made));
  }
  return made.length;
}

/** Deletes what nothing reads any longer: replaced copies, and those of usage that is no longer kept. */
async function sweepCopies(deps: CopyDeps, { feed_id: feedId }: Feed): Promise<void> {
  const { transact, clickhouse } = deps;
  const past = await transact.asOperator(async (tx) => {
    const keptFrom = await findKeptFrom(tx, "hours");
    if (keptFrom !== null) {
      await dropHoursBefore(tx, keptFrom);
    }
    return await listPastCopies(tx, PAST_COPIES_MAX);
  });
  if (past.length > 0) {
    await deleteCopies(clickhouse, feedId, past);
    await transact.asOperator((tx) => forgetCopies(tx, past));
  }
}

async function copyAll(deps: CopyDeps, feed: Feed, options: CopyOptions): Promise<number> {
  const { signal, onProgress } = options;
  let copied = 0;
  while (signal?.aborted !== true) {
    const hours = await copyBatch(deps, feed, signal);
    copied += hours;
    if (onProgress !== undefined) {
      onProgress(await deps.transact.asOperator(countHours));
    }
    if (hours === 0) {
      break;
    }
  }
  return copied;
}

/**
 * Copies to ClickHouse each hour of usage that changed since it was copied. Every process may run it, one at a time does, and a
 * killed one leaves nothing but numbers that nothing reads. Answers see each call exactly once, before and after each batch.
 *
 * @returns How many hours were copied; 0 while another process copies.
 * @throws {AppError} `CLICKHOUSE_UNAVAILABLE`; what was copied by then stays.
 */
export async function copyUsage(deps: CopyDeps, options: CopyOptions = {}): Promise<number> {
  const feed = await openFeed(deps);
  const copied = await copyAll(deps, feed, options);
  await sweepCopies(deps, feed);
  return copied;
}

/** The same as a job: while ClickHouse is away it says so and leaves the work to its next run. */
export async function copyUsageLater(deps: CopyDeps, signal: AbortSignal): Promise<void> {
  try {
    await copyUsage(deps, { signal });
  } catch (error) {
    if (!(error instanceof AppError && error.code === "CLICKHOUSE_UNAVAILABLE")) {
      throw error;
    }
    deps.logger.warn({ err: error }, "usage is not copied while ClickHouse does not answer");
  }
}

/** Makes all copies anew, beside those that are there, which are deleted at once. PostgreSQL answers until then. */
export async function rebuildCopies(deps: CopyDeps, options: CopyOptions = {}): Promise<number> {
  await replaceFeed(deps, await deps.transact.asOperator(findFeed));
  return await copyUsage(deps, options);
}

/** Counts hours of usage, and those that wait to be copied. */
export async function countCopies(deps: Pick<AppServices, "transact">): Promise<CopyProgress> {
  return await deps.transact.asOperator(countHours);
}
