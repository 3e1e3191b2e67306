import type { Grain } from "../time/zoned-buckets.ts";

/** The longest range of each grain, in days. It bounds the read and is about as many buckets as a chart can show. */
export const USAGE_RANGE_DAYS_MAX: Readonly<Record<Grain, number>> = {
  minute: 3,
  hour: 93,
  day: 731,
  week: 1_827,
  month: 3_653,
};

/**
 * The step of time by which meters keep aggregates that cannot be added up and the dimensions of events. Ranges of these start
 * and end at such a step.
 */
export const METER_STEP_MS = 15 * 60_000;
