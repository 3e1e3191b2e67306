import type { ChartFormats } from "@turnpike/ui/charts/chart-types";
import type { TimeBucket } from "@turnpike/ui/charts/time-buckets.view-model";
import { LANGUAGE } from "@turnpike/ui/language";

const DAY_MS = 86_400_000;
/** The longest of an hour's buckets: longer ones are named by their days. */
const CLOCK_MS_MAX = 22 * 3_600_000;

export type MeasureFormats = Pick<ChartFormats, "value" | "exact">;

/**
 * Makes what writes a chart's times in a zone.
 *
 * @param timeZone - IANA name, which the browser knows.
 */
export function createChartFormats(timeZone: string, measure: MeasureFormats): ChartFormats {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(LANGUAGE, { timeZone, hourCycle: "h23", ...options });
  const time = format({ hour: "2-digit", minute: "2-digit" });
  const day = format({ month: "short", day: "numeric" });
  const month = format({ month: "short" });
  const year = format({ year: "numeric" });
  const longDay = format({ weekday: "short", month: "short", day: "numeric" });
  const dayAndTime = format({
    weekday: "short",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
  const date = format({ year: "numeric", month: "short", day: "numeric" });
  const ticks = { time, day, month, year };

  function writeBucket({ fromMs, toMs }: TimeBucket): string {
    if (toMs - fromMs > CLOCK_MS_MAX) {
      // The last day that is in it, as a range ends before its end.
      return longDay.formatRange(fromMs, toMs - 1);
    }
    const isSameDay = date.format(fromMs) === date.format(toMs - 1);
    return isSameDay
      ? `${dayAndTime.format(fromMs)} – ${time.format(toMs)}`
      : `${dayAndTime.format(fromMs)} – ${dayAndTime.format(toMs)}`;
  }

  return {
    ...measure,
    tick: (instantMs, unit) => ticks[unit].format(instantMs),
    bucket: writeBucket,
    span: ({ fromMs, toMs }) =>
      toMs - fromMs > DAY_MS * 2
        ? date.formatRange(fromMs, toMs - 1)
        : `${date.formatRange(fromMs, toMs - 1)}, ${time.format(fromMs)} – ${time.format(toMs)}`,
  };
}

/** The zone that the reader's clock is set to. */
export function readOwnTimeZone(): string {
  return new Intl.DateTimeFormat("en").resolvedOptions().timeZone;
}
