import type { Statistic } from "../anomaly/statistics.ts";

/**
 * What is watched, most telling first: of several that change together, the first names the incident. `error_rate` is in percent
 * of the calls that were let through, `spend` in minor units of
 * the currency of the tenant's plan, for units at what they cost beyond what comes with a price: what is charged leaps as that is used
 * up, and says little of use.
 */
export const WATCHED_MEASURES = [
  "error_rate",
  "errors",
  "latency_avg",
  "denied",
  "requests",
  "spend",
] as const;
export type WatchedMeasure = (typeof WATCHED_MEASURES)[number];

/** One hour of a measure; null where there was nothing to measure, such as a latency without calls. */
export type Hour = { timeMs: number; value: number | null };

/** What is usual for an hour of the day: half of what was seen there lies on either side of `expected`, nearly all within. */
export type Band = { low: number; expected: number; high: number };

/** A measure that left what is usual, from `sinceMs` to `untilMs`; `isOver` once it is back. Means are of an hour. */
export type Incident = Band & {
  measure: WatchedMeasure;
  statistic: Statistic;
  sinceMs: number;
  untilMs: number;
  isOver: boolean;
  direction: "up" | "down";
  actual: number;
  /** From 0.5 to 1: how far it is beyond its own past. */
  confidence: number;
};
