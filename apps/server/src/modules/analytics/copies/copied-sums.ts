import type { Tx } from "@turnpike/db/client";
import { HOUR_MS } from "@turnpike/domain/time/zoned-buckets";
import {
  type ClickHouse,
  clickHouseAway,
  isTooSlow,
  isUnknownTable,
} from "#platform/clickhouse.ts";
import { findKeptFrom, sumUsage } from "../queries/analytics.store.ts";
import type { Interval } from "../queries/plan-sources.ts";
import { readableSources, readSums, type Sums, tooCostly } from "../queries/read-rollups.ts";
import { type CopiedPart, type SumsInput, sumCopies } from "./copied-sums.store.ts";
import {
  findFeed,
  listPlansOfTenants,
  listUncopiedHours,
  listUnreadCopies,
} from "./usage-copies.store.ts";

/**
 * Sums one period of all tenants. Reads what it needs of PostgreSQL within the transaction; what is returned does the rest after
 * it, so that no connection waits for another engine.
 *
 * @throws {AppError} as `readSums`.
 */
export type PrepareSums = (tx: Tx, input: SumsInput) => Promise<() => Promise<Sums>>;

/** PostgreSQL's own answer. */
export const prepareRollups: PrepareSums = async (tx, input) => {
  const sums = await readSums(tx, input);
  return () => Promise.resolve(sums);
};

/** While more hours than these wait to be copied, PostgreSQL answers. */
const UNCOPIED_MAX = 240;
/** Groups of what is not copied that are sent along; with more, PostgreSQL answers. */
const REST_ROWS_MAX = 50_000;

/** Takes whole hours out of intervals, which ascend, as the hours do. */
export function withoutHours(
  intervals: readonly Interval[],
  hours: readonly number[],
): { kept: Interval[]; taken: Interval[] } {
  const kept: Interval[] = [];
  const taken: Interval[] = [];
  for (const { fromMs, toMs } of intervals) {
    let readMs = fromMs;
    for (const hourMs of hours.filter((ms) => ms >= fromMs && ms < toMs)) {
      if (readMs < hourMs) {
        kept.push({ fromMs: readMs, toMs: hourMs });
      }
      taken.push({ fromMs: hourMs, toMs: hourMs + HOUR_MS });
      readMs = hourMs + HOUR_MS;
    }
    if (readMs < toMs) {
      kept.push({ fromMs: readMs, toMs });
    }
  }
  return { kept, taken };
}

/** Where meters of events are summed from is not copied. */
function isAboutCalls({ plan }: SumsInput): boolean {
  return plan.meters.every(({ kind }) => kind === "rollups");
}

/** Splits what a question reads into copies and the rest. @returns Undefined when PostgreSQL has to answer. */
async function findCopied(tx: Tx, input: SumsInput): Promise<CopiedPart | undefined> {
  const feed = isAboutCalls(input) ? await findFeed(tx) : undefined;
  if (feed === undefined) {
    return undefined;
  }
  const sources = await readableSources(tx, input.period.sources);
  const keptFromMs = (await findKeptFrom(tx, "hours"))?.getTime() ?? Number.NEGATIVE_INFINITY;
  const [first, last] = [sources.hours[0], sources.hours.at(-1)];
  if (first === undefined || last === undefined) {
    return undefined;
  }
  const range = { fromMs: first.fromMs, toMs: last.toMs, hoursMax: UNCOPIED_MAX + 1 };
  const uncopied = await listUncopiedHours(tx, range);
  // Copies of what is no longer kept are deleted by and by, as the rollups are.
  const hours = sources.hours
    .map(({ fromMs, toMs }) => ({ fromMs: Math.max(fromMs, keptFromMs), toMs }))
    .filter(({ fromMs, toMs }) => fromMs < toMs);
  const old = sources.hours
    .map(({ fromMs, toMs }) => ({ fromMs, toMs: Math.min(toMs, keptFromMs) }))
    .filter(({ fromMs, toMs }) => fromMs < toMs);
  const { kept, taken } = withoutHours(hours, uncopied);
  if (uncopied.length > UNCOPIED_MAX || kept.length === 0) {
    return undefined;
  }
  const { minutes } = sources;
  const [, ...rest] = await sumUsage(tx, {
    ...input,
    period: { ...input.period, sources: { hours: [...old, ...taken], minutes, recent: kept } },
    rowsMax: REST_ROWS_MAX + 1,
  });
  if (rest.length > REST_ROWS_MAX) {
    return undefined;
  }
  const needsPlans =
    input.plan.dimensions.includes("plan") || input.plan.filters.plan !== undefined;
  return {
    feedId: feed.feed_id,
    lastCopy: feed.last_copy,
    unread: await listUnreadCopies(tx),
    hours: kept,
    plans: needsPlans ? await listPlansOfTenants(tx) : [],
    rest,
  };
}

/** Sums in ClickHouse what is copied there, and adds what is not. */
export function prepareCopies(clickhouse: ClickHouse): PrepareSums {
  return async (tx, input) => {
    const part = await findCopied(tx, input);
    if (part === undefined) {
      return await prepareRollups(tx, input);
    }
    return async () => {
      try {
        const [total, ...rows] = await sumCopies(clickhouse, input, part);
        return { total, rows };
      } catch (error) {
        if (isTooSlow(error)) {
          throw tooCostly(
            "Summing this takes too long: narrow the range, or ask for less detail.",
            error,
          );
        }
        // The copies are being made anew.
        throw isUnknownTable(error) ? clickHouseAway(error) : error;
      }
    };
  };
}
