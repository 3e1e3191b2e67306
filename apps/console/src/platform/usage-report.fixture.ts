import type { UsageReport } from "./usage-query.ts";

const HOURS = ["2026-11-21T09:00:00.000Z", "2026-11-21T10:00:00.000Z", "2026-11-21T11:00:00.000Z"];
const HOURS_BEFORE = HOURS.map((hour) => hour.replace("21T", "20T"));

type Row = UsageReport["rows"][number];

/** A row as the server writes it. */
export function makeUsageRow(
  hour: number | null,
  group: Row["group"],
  values: Row["values"],
  day = HOURS,
): Row {
  return { time: hour === null ? null : (day[hour] ?? null), group, values };
}

/** A row of the day before. */
export function makePreviousRow(
  hour: number | null,
  group: Row["group"],
  values: Row["values"],
): Row {
  return makeUsageRow(hour, group, values, HOURS_BEFORE);
}

/** An answer about three hours, empty unless it is filled. */
export function makeUsageReport(change: Partial<UsageReport> = {}): UsageReport {
  const isTimed = change.grain !== null;
  return {
    from: "2026-11-21T09:00:00.000Z",
    to: "2026-11-21T12:00:00.000Z",
    times: isTimed ? HOURS : [],
    grain: "hour",
    timeZone: "UTC",
    measures: ["requests"],
    dimensions: [],
    rows: [],
    totals: { requests: 0 },
    truncated: false,
    previous: null,
    ...change,
  };
}

/** The same three hours of the day before. */
export function makePreviousPeriod(
  change: Partial<NonNullable<UsageReport["previous"]>> = {},
): NonNullable<UsageReport["previous"]> {
  return {
    from: "2026-11-20T09:00:00.000Z",
    to: "2026-11-20T12:00:00.000Z",
    times: HOURS_BEFORE,
    rows: [],
    totals: { requests: 0 },
    truncated: false,
    ...change,
  };
}
