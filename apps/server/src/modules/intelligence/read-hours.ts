import type { TenantId } from "@turnpike/domain/ids/ids";
import {
  type Hour,
  WATCHED_MEASURES,
  type WatchedMeasure,
} from "@turnpike/domain/insights/incident";
import type { AppServices } from "#platform/app-services.ts";
import { askUsage, readMeasure } from "./ask-usage.ts";

export type WatchedHours = { measure: WatchedMeasure; hours: Hour[] }[];

const HOUR_MS = 60 * 60_000;
const HISTORY_HOURS = 28 * 24;
/** The start moves by two days at once, so that the runs of these days judge from the same past. */
const START_MS = 48 * HOUR_MS;
/** Calls of an hour are in the ledger by then, from every process. */
const SETTLED_AFTER_MS = 2 * 60_000;

/**
 * Reads the complete hours of four weeks, from the first with a call on. An hour without calls is zero, not missing.
 *
 * @returns No hours for a tenant without usage.
 */
export async function readHours(deps: AppServices, tenantId: TenantId): Promise<WatchedHours> {
  const settledMs = deps.clock.now().getTime() - SETTLED_AFTER_MS;
  const toMs = Math.floor(settledMs / HOUR_MS) * HOUR_MS;
  const report = await askUsage(deps, {
    tenantId,
    fromMs: Math.floor((toMs - HISTORY_HOURS * HOUR_MS) / START_MS) * START_MS,
    toMs,
    by: "hour",
  });
  const byTime = new Map(report.rows.map(({ time, values }) => [time, values]));
  const first = report.times.findIndex((time) => byTime.has(time));
  const times = first < 0 ? [] : report.times.slice(first);
  return WATCHED_MEASURES.map((measure) => ({
    measure,
    hours: times.map((time) => ({
      timeMs: Date.parse(time),
      value: readMeasure(byTime.get(time), measure),
    })),
  }));
}
