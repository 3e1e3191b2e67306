import type { UsageReport } from "@turnpike/contract/usage";
import type { WatchedMeasure } from "@turnpike/domain/insights/incident";
import { readMeasure } from "@turnpike/domain/insights/read-measure";
import type { AppServices } from "#platform/app-services.ts";
import { askUsage, toSummedCalls } from "./ask-usage.ts";
import type { WatchedSeries } from "./incident-finder.ts";
import type { UsageScope } from "./usage-scope.ts";

type Measured = Pick<UsageReport["rows"][number], "time" | "values">;

const HOUR_MS = 60 * 60_000;
const HISTORY_HOURS = 28 * 24;
/** The start moves by two days at once, so that the runs of these days judge from the same past. */
const START_MS = 48 * HOUR_MS;
/** Calls of an hour are in the ledger by then, from every process. */
const SETTLED_AFTER_MS = 2 * 60_000;

/** The complete hours of four weeks. */
export function watchedRange(deps: AppServices): { fromMs: number; toMs: number } {
  const settledMs = deps.clock.now().getTime() - SETTLED_AFTER_MS;
  const toMs = Math.floor(settledMs / HOUR_MS) * HOUR_MS;
  return { fromMs: Math.floor((toMs - HISTORY_HOURS * HOUR_MS) / START_MS) * START_MS, toMs };
}

/** Makes series of rows by the hour, from the first hour with a call on. An hour without calls is zero, not missing. */
export function toSeries(
  rows: readonly Measured[],
  {
    times,
    measures,
    route,
  }: { times: readonly string[]; measures: readonly WatchedMeasure[]; route: string | null },
): WatchedSeries[] {
  const byTime = new Map(rows.map(({ time, values }) => [time, toSummedCalls(values)]));
  const first = times.findIndex((time) => byTime.has(time));
  const seen = first < 0 ? [] : times.slice(first);
  const hoursOf = (measure: WatchedMeasure) =>
    seen.map((time) => ({
      timeMs: Date.parse(time),
      value: readMeasure(byTime.get(time), measure),
    }));
  const calls = hoursOf("requests");
  return measures.map((measure) => ({ measure, route, hours: hoursOf(measure), calls }));
}

/**
 * Reads the complete hours of four weeks, from the first with a call on.
 *
 * @returns Series without hours where there is no usage.
 */
export async function readHours(
  deps: AppServices,
  scope: UsageScope,
  measures: readonly WatchedMeasure[],
): Promise<WatchedSeries[]> {
  const { rows, times } = await askUsage(deps, scope, {
    ...watchedRange(deps),
    isHourly: true,
    by: [],
  });
  return toSeries(rows, { times, measures, route: scope.route ?? null });
}
