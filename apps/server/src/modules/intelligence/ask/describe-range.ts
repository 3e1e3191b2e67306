import type { Grain } from "@turnpike/domain/time/zoned-buckets";

const format = (timeZone: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { timeZone, ...options });

const DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "long", year: "numeric" };
const TIME: Intl.DateTimeFormatOptions = {
  ...DAY,
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
};

function dayOf(
  ms: number,
  timeZone: string,
): { text: string; isMidnight: boolean; day: number; month: number; year: number } {
  const parts = new Map(
    format(timeZone, {
      day: "numeric",
      month: "numeric",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    })
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  return {
    text: format(timeZone, DAY).format(ms),
    isMidnight: parts.get("hour") === 0 && parts.get("minute") === 0,
    day: parts.get("day") ?? 0,
    month: parts.get("month") ?? 0,
    year: parts.get("year") ?? 0,
  };
}

/** A range as people write it: “on 13 July 2026”, “in June 2026”, “from 6 to 12 July 2026”. `toMs` is exclusive, the text is not. */
export function describeRange(range: { fromMs: number; toMs: number }, timeZone: string): string {
  const { fromMs, toMs } = range;
  const zone = timeZone === "UTC" ? "" : ` (${timeZone})`;
  const first = dayOf(fromMs, timeZone);
  const end = dayOf(toMs, timeZone);
  if (fromMs === 0) {
    return `until ${format(timeZone, DAY).format(toMs - 1)}${zone}`;
  }
  if (!(first.isMidnight && end.isMidnight)) {
    const time = format(timeZone, TIME);
    return `from ${time.format(fromMs).replace(" at ", ", ")} to ${time.format(toMs).replace(" at ", ", ")} (${timeZone})`;
  }
  if (first.day === 1 && end.day === 1) {
    const months = 12 * (end.year - first.year) + end.month - first.month;
    if (months === 12 && first.month === 1) {
      return `in ${String(first.year)}${zone}`;
    }
    if (months === 1) {
      return `in ${format(timeZone, { month: "long", year: "numeric" }).format(fromMs)}${zone}`;
    }
  }
  const last = dayOf(toMs - 1, timeZone);
  if (first.text === last.text) {
    return `on ${first.text}${zone}`;
  }
  const isSameYear = first.year === last.year;
  const start = isSameYear
    ? format(
        timeZone,
        first.month === last.month ? { day: "numeric" } : { day: "numeric", month: "long" },
      ).format(fromMs)
    : first.text;
  return `from ${start} to ${last.text}${zone}`;
}

/** One step of a series: “14 July”, “14 July, 13:00”, “June 2026”. */
export function describeStep(time: string, grain: Grain, timeZone: string): string {
  const ms = Date.parse(time);
  switch (grain) {
    case "month":
      return format(timeZone, { month: "long", year: "numeric" }).format(ms);
    case "week":
      return `the week of ${format(timeZone, { day: "numeric", month: "long" }).format(ms)}`;
    case "day":
      return format(timeZone, { day: "numeric", month: "long" }).format(ms);
    default:
      return format(timeZone, {
        day: "numeric",
        month: "long",
        hour: "2-digit",
        minute: "2-digit",
        hourCycle: "h23",
      })
        .format(ms)
        .replace(" at ", ", ");
  }
}
