import type { SeriesPoint } from "@turnpike/domain/anomaly/detector";
import { z } from "zod";

type Parsed<Value> = { value: Value } | { fault: string };
type NamedSeries = { id: string | number; points: SeriesPoint[] };

const Line = z.object({
  id: z.union([z.string(), z.number()]),
  times: z.array(z.string()),
  values: z.array(z.number()),
});

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Parses the time of a measurement: ISO 8601, also with a space for the T; without a zone it is UTC. NaN when it is none. */
function parseSeriesTime(text: string): number {
  const [, day, time = "00:00", zone = "Z"] = INSTANT.exec(text.trim()) ?? [];
  return day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`);
}

function toPoint(time: string, value: number): Parsed<SeriesPoint> {
  const timeMs = parseSeriesTime(time);
  if (Number.isNaN(timeMs)) {
    return { fault: `"${time}" is not a time such as 2026-01-31T09:30:00Z.` };
  }
  return Number.isFinite(value)
    ? { value: { timeMs, value } }
    : { fault: `The value at ${time} is not a finite number.` };
}

/** Parses a line `{"id", "times", "values"}`. */
export function parseSeries(input: unknown): Parsed<NamedSeries> {
  const parsed = Line.safeParse(input);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.join("/") ?? "";
    return { fault: `${place === "" ? "" : `/${place}: `}${issue?.message ?? "not a series"}` };
  }
  const { id, times, values } = parsed.data;
  if (times.length !== values.length) {
    return {
      fault: `There are ${String(times.length)} times and ${String(values.length)} values.`,
    };
  }
  const points: SeriesPoint[] = [];
  for (const [at, value] of values.entries()) {
    const point = toPoint(times[at] ?? "", value);
    if ("fault" in point) {
      return point;
    }
    points.push(point.value);
  }
  return { value: { id, points } };
}

/** Parses a row `time,value` of a CSV; nothing for the row that names the columns. */
export function parseSeriesRow(text: string): Parsed<SeriesPoint> | undefined {
  const [time = "", value = "", ...more] = text.split(",").map((cell) => cell.trim());
  if (/^(timestamp|time|date)$/i.test(time)) {
    return undefined;
  }
  if (value === "" || more.length > 0) {
    return { fault: "A row is a time, a comma and a number." };
  }
  return toPoint(time, Number(value));
}
