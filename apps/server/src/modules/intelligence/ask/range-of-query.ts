import type { AskedQuery } from "@turnpike/contract/questions";
import { USAGE_RANGE_DAYS_MAX } from "@turnpike/domain/metering/usage-range";
import { move } from "@turnpike/domain/questions/calendar";
import { said } from "@turnpike/domain/text/said";
import { createOffsetAt, DAY_MS, toZonedInstant } from "@turnpike/domain/time/zoned-buckets";
import { CannotAnswer } from "./cannot-answer.ts";

/** Epoch milliseconds, half-open. */
export type InstantRange = { readonly fromMs: number; readonly toMs: number };

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const YEAR_LATEST = 9_000;
const STEPS = {
  minute: said("minute"),
  hour: said("hour"),
  day: said("day"),
  week: said("week"),
  month: said("month"),
} as const;

/** The instant that a date begins at in a time zone, or that a text names. */
function toInstantMs(text: string, timeZone: string): number {
  return DATE.test(text) ? toZonedInstant(timeZone, Date.parse(text)) : Date.parse(text);
}

/** The range of a question. @throws {CannotAnswer} when it is empty, out of reach or too long for its steps, which are all listed. */
export function rangeOfQuery(query: AskedQuery, timeZone: string): InstantRange {
  const fromMs = Math.max(0, toInstantMs(query.from, timeZone));
  const toMs = toInstantMs(query.to, timeZone);
  if (!(fromMs < toMs) || new Date(toMs).getUTCFullYear() > YEAR_LATEST) {
    throw new CannotAnswer("The range is empty: it must begin before it ends.");
  }
  const { grain } = query;
  if (grain !== undefined && toMs - fromMs > USAGE_RANGE_DAYS_MAX[grain] * DAY_MS) {
    const days = String(USAGE_RANGE_DAYS_MAX[grain]);
    throw new CannotAnswer("By the {0} a range may have at most {1} days.", STEPS[grain], days);
  }
  return { fromMs, toMs };
}

/** The same dates a year earlier. */
export function yearBefore({ fromMs, toMs }: InstantRange, timeZone: string): InstantRange {
  const offsetAt = createOffsetAt(timeZone);
  const back = (ms: number) => toZonedInstant(timeZone, move("year", ms + offsetAt(ms), -1));
  return { fromMs: Math.max(0, back(fromMs)), toMs: Math.max(1, back(toMs)) };
}
