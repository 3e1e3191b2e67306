import type { Grain } from "../time/zoned-buckets.ts";

/** The longest range of each grain, in days: about as many buckets as a chart can show, and a bounded read. */
export const USAGE_RANGE_DAYS_MAX: Readonly<Record<Grain, number>> = {
  minute: 3,
  hour: 93,
  day: 731,
  week: 1_827,
  month: 3_653,
};

/** By how much time meters keep what cannot be added up, and the parts of events: ranges of these begin and end with it. */
export const METER_STEP_MS = 15 * 60_000;
