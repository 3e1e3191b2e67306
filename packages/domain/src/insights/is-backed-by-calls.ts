import { findBand } from "./find-band.ts";
import type { Hour, Incident } from "./incident.ts";

const HOUR_MS = 60 * 60_000;
/** What one call can take at most, so that a few of them make no incident of the mean. */
const LONGEST_CALL_MS = 60_000;
const LONG_CALLS_MIN = 10;
const ERRORS_MIN = 20;
const PERCENT = 100;
/** Minor units of an hour. */
const CHARGE_MIN = 20;

function sumWithin(hours: readonly Hour[], { sinceMs, untilMs }: Incident): number {
  return hours
    .filter(({ timeMs }) => timeMs >= sinceMs && timeMs < untilMs)
    .reduce((sum, { value }) => sum + (value ?? 0), 0);
}

/** More use counts as far as it is charged: units that come with the price are no news. */
function isCharged(incident: Incident, charges: readonly Hour[]): boolean {
  const { actual, expected, sinceMs, untilMs } = incident;
  const hours = (untilMs - sinceMs) / HOUR_MS;
  const more = actual === 0 ? 0 : (actual - expected) / actual;
  return (sumWithin(charges, incident) / hours) * more >= CHARGE_MIN;
}

/** Errors that grow with the calls are no news: their share must have left what is usual as well. */
function isShareUnusual(
  incident: Incident,
  { hours, calls }: { hours: readonly Hour[]; calls: readonly Hour[] },
): boolean {
  const callsAt = new Map(calls.map(({ timeMs, value }) => [timeMs, value ?? 0]));
  const shares = hours.map(({ timeMs, value }) => {
    const all = callsAt.get(timeMs) ?? 0;
    return { timeMs, value: all === 0 || value === null ? null : value / all };
  });
  const { sinceMs } = incident;
  const band = findBand(shares, { timeMs: sinceMs, beforeMs: sinceMs });
  const share = sumWithin(hours, incident) / sumWithin(calls, incident);
  return band === undefined || share > band.high;
}

/**
 * Whether an incident is more than a few calls, or more calls of the same kind.
 *
 * @param series.hours - The measure. @param series.calls - All calls of the same hours; of spend, what was
 * charged.
 */
export function isBackedByCalls(
  incident: Incident,
  series: { hours: readonly Hour[]; calls: readonly Hour[] },
): boolean {
  const change = Math.abs(incident.actual - incident.expected);
  switch (incident.measure) {
    case "latency_avg":
      return change * sumWithin(series.calls, incident) >= LONG_CALLS_MIN * LONGEST_CALL_MS;
    case "error_rate":
      return (change / PERCENT) * sumWithin(series.calls, incident) >= ERRORS_MIN;
    case "errors":
    case "denied":
      return isShareUnusual(incident, series);
    case "spend":
      return isCharged(incident, series.calls);
    case "requests":
      return true;
    default:
      return incident.measure satisfies never;
  }
}
