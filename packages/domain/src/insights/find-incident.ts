import { ANOMALOUS, createDetector } from "../anomaly/detector.ts";
import { findBand } from "./find-band.ts";
import type { Band, Hour, Incident, WatchedMeasure } from "./incident.ts";

const HOUR_MS = 60 * 60_000;
/** An incident of hours is one anomaly; the next day may have its own. */
const QUIET_HOURS = 12;
/** Hours before the first judgement: a week and a day. */
export const HISTORY_HOURS_NEEDED = 200;
/** Smaller changes are not worth a person's time, however unusual they are. */
const CHANGE_MIN = 0.25;
const LEAST_CHANGES: Readonly<Record<WatchedMeasure, number>> = {
  error_rate: 2,
  errors: 20,
  latency_avg: 20,
  denied: 20,
  requests: 20,
};

type Detected = { at: number; score: number; why: Incident["statistic"] };

/** On a logarithmic scale growth is a straight line, and a fall to zero as far as it feels. */
function detect(hours: readonly Hour[]): Detected[] {
  const detector = createDetector({
    warmUpPoints: HISTORY_HOURS_NEEDED,
    quietPoints: QUIET_HOURS,
  });
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
function follow(
  hours: readonly Hour[],
  { at, score, why }: Detected,
  measure: WatchedMeasure,
): Incident | undefined {
  const sinceMs = hours[at]?.timeMs ?? 0;
  const run: Outside[] = [];
  for (;;) {
    const outside = findOutside(hours, at + run.length, sinceMs);
    if (outside === undefined || outside.direction !== (run[0] ?? outside).direction) {
      break;
    }
    run.push(outside);
  }
  const [first] = run;
  if (first === undefined) {
    return undefined;
  }
  return {
    measure,
    statistic: why,
    sinceMs,
    untilMs: sinceMs + run.length * HOUR_MS,
    isOver: at + run.length < hours.length,
    direction: first.direction,
    actual: meanOf(run.map(({ value }) => value)),
    expected: meanOf(run.map(({ band }) => band.expected)),
    low: meanOf(run.map(({ band }) => band.low)),
    high: meanOf(run.map(({ band }) => band.high)),
    confidence: score,
  };
}

/** Good news is no incident: fewer errors or refusals, or quicker answers. */
function isWorthTelling({ measure, direction, actual, expected }: Incident): boolean {
  const change = Math.abs(actual - expected);
  const isGoodNews = direction === "down" && measure !== "requests";
  return !isGoodNews && change >= LEAST_CHANGES[measure] && change >= expected * CHANGE_MIN;
}

/**
 * Finds the newest incident of a measure that began at or after `fromMs`.
 *
 * @param hours - Complete hours without gaps, oldest first.
 */
export function findIncident(
  measure: WatchedMeasure,
  hours: readonly Hour[],
  fromMs: number,
): Incident | undefined {
  const found = detect(hours)
    .filter(({ at }) => (hours[at]?.timeMs ?? 0) >= fromMs)
    .flatMap((detected) => follow(hours, detected, measure) ?? [])
    .filter(isWorthTelling);
  return found.at(-1);
}
