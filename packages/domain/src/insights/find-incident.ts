import { ANOMALOUS, createDetector } from "../anomaly/detector.ts";
import { findBand } from "./find-band.ts";
import type { Band, Hour, Incident, WatchedMeasure } from "./incident.ts";
import { isBackedByCalls } from "./is-backed-by-calls.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** For so long after its begin, an incident stays one; the next day may have its own. */
const QUIET_HOURS = 12;
/** A mean of one hour can be made by one slow call. */
const LATENCY_HOURS_MIN = 2;
/** Hours before the first judgement: a week and a day. */
export const HISTORY_HOURS_NEEDED = 200;
/** Smaller changes are not worth a person's time, however unusual they are. */
const CHANGE_MIN = 0.25;
/** How far beyond the edge of the band, by the distance of that from its middle: a band of few weeks is not exact. */
const BEYOND_MIN = 0.5;
const LEAST_CHANGES: Readonly<Record<WatchedMeasure, number>> = {
  error_rate: 2,
  errors: 20,
  latency_avg: 20,
  denied: 20,
  requests: 20,
  spend: 20,
};

/** A measure by the hour: complete hours without gaps, oldest first, and the calls of these hours (of spend, what was charged). */
type WatchedHours = {
  measure: WatchedMeasure;
  hours: readonly Hour[];
  calls: readonly Hour[];
};
type Detected = { at: number; score: number; why: Incident["statistic"] };

/** On a logarithmic scale growth is a straight line, and a fall to zero as far as it feels. */
function detect(hours: readonly Hour[]): Detected[] {
  // Not quiet after a small change that is not told: a large one may follow within hours.
  const detector = createDetector({ warmUpPoints: HISTORY_HOURS_NEEDED, quietPoints: 0 });
  return hours.flatMap(({ timeMs, value }, at) => {
    if (value === null) {
      return [];
    }
    const { score, why } = detector.next({ timeMs, value: Math.log1p(value) });
    return score > ANOMALOUS && why !== "warming-up" ? [{ at, score, why }] : [];
  });
}

type Outside = { direction: Incident["direction"]; band: Band; value: number };

function findOutside(hours: readonly Hour[], at: number, beforeMs: number): Outside | undefined {
  const hour = hours[at];
  if (hour === undefined || hour.value === null) {
    return undefined;
  }
  const band = findBand(hours, { timeMs: hour.timeMs, beforeMs });
  if (band === undefined || (hour.value >= band.low && hour.value <= band.high)) {
    return undefined;
  }
  return { direction: hour.value > band.high ? "up" : "down", band, value: hour.value };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Follows the hours outside of the band, in one direction, from a detection on. */
function follow(hours: readonly Hour[], at: number): Outside[] {
  const sinceMs = hours[at]?.timeMs ?? 0;
  const run: Outside[] = [];
  for (;;) {
    const outside = findOutside(hours, at + run.length, sinceMs);
    if (outside === undefined || outside.direction !== (run[0] ?? outside).direction) {
      return run;
    }
    run.push(outside);
  }
}

/** The incident as it was after some hours of its run. */
function toIncident(
  { measure, hours }: WatchedHours,
  { at, score, why }: Detected,
  run: readonly [Outside, ...Outside[]],
): Incident {
  const sinceMs = hours[at]?.timeMs ?? 0;
  return {
    measure,
    statistic: why,
    sinceMs,
    untilMs: sinceMs + run.length * HOUR_MS,
    isOver: at + run.length < hours.length,
    direction: run[0].direction,
    actual: meanOf(run.map(({ value }) => value)),
    expected: meanOf(run.map(({ band }) => band.expected)),
    low: meanOf(run.map(({ band }) => band.low)),
    high: meanOf(run.map(({ band }) => band.high)),
    confidence: score,
  };
}

/** What was worth telling after some hours stays so: a claim is not taken back because an incident fades. */
function findTold(series: WatchedHours, detected: Detected): Incident | undefined {
  const [first, ...others] = follow(series.hours, detected.at);
  if (first === undefined) {
    return undefined;
  }
  const grown = [first, ...others].map((_, length) =>
    toIncident(series, detected, [first, ...others.slice(0, length)]),
  );
  const isTold = grown.some(
    (incident) => isWorthTelling(incident) && isBackedByCalls(incident, series),
  );
  return isTold ? grown.at(-1) : undefined;
}

/** What compares a day with the past has seen an incident for a day after its end. */
function isEcho({ why }: Detected, sinceMs: number, last: Incident | undefined): boolean {
  const isOfDay = why === "level" || why === "spread";
  return isOfDay && last !== undefined && sinceMs < last.untilMs + DAY_MS;
}

function distanceOf(one: number, other: number): number {
  return Math.abs(Math.log1p(one) - Math.log1p(other));
}

/** Good news is no incident: fewer errors or refusals, or quicker answers. */
function isWorthTelling(incident: Incident): boolean {
  const { measure, direction, actual, expected, low, high, sinceMs, untilMs } = incident;
  const change = Math.abs(actual - expected);
  const edge = direction === "up" ? high : low;
  const isClear = distanceOf(actual, edge) >= BEYOND_MIN * distanceOf(edge, expected);
  const isGoodNews = direction === "down" && measure !== "requests";
  const hours = (untilMs - sinceMs) / HOUR_MS;
  const isLong = measure !== "latency_avg" || hours >= LATENCY_HOURS_MIN;
  return (
    !isGoodNews &&
    isClear &&
    isLong &&
    change >= LEAST_CHANGES[measure] &&
    change >= expected * CHANGE_MIN
  );
}

/**
 * Finds the incidents of a measure, oldest first. Each is judged by the hours before its begin: hours that come later make the last
 * one longer, and take none back.
 */
export function findIncidents(series: WatchedHours): Incident[] {
  const told: Incident[] = [];
  for (const detected of detect(series.hours)) {
    const sinceMs = series.hours[detected.at]?.timeMs ?? 0;
    const last = told.at(-1);
    const quietUntilMs =
      last === undefined
        ? Number.NEGATIVE_INFINITY
        : Math.max(last.untilMs, last.sinceMs + QUIET_HOURS * HOUR_MS);
    const isQuiet = sinceMs < quietUntilMs || isEcho(detected, sinceMs, last);
    const incident = isQuiet ? undefined : findTold(series, detected);
    if (incident !== undefined) {
      told.push(incident);
    }
  }
  return told;
}

/** Finds the newest incident of a measure that began at or after `fromMs`. */
export function findIncident(series: WatchedHours, fromMs: number): Incident | undefined {
  const newest = findIncidents(series).at(-1);
  return newest !== undefined && newest.sinceMs >= fromMs ? newest : undefined;
}
