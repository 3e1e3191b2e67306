import type { AnswerRow, AskedQuery } from "@turnpike/contract/questions";
import type { UsageReport, UsageRow, UsageValues } from "@turnpike/contract/usage";
import type { MeasureSource, UsagePlan, UsageRun } from "./plan-runs.ts";

/** What of a report the answer is made of. */
export type Rows = Pick<UsageReport, "times" | "rows" | "totals" | "truncated">;
export type Cell = number | string | null;
export type Cells = Record<string, Cell>;
export type Joined = { rows: AnswerRow[]; totals: Cells; totalsBefore: Cells | null };
type RunReport = { run: UsageRun; report: Rows; before: Rows | null };

/** Counts and sums of nothing are 0; means and shares are of nothing. */
const QUOTIENT = /^(?:error_rate|latency_)/;

function readCell(values: UsageValues | undefined, measure: string): Cell {
  const value: unknown = values?.[measure as keyof UsageValues];
  if (typeof value === "number" || typeof value === "string") {
    return value;
  }
  return QUOTIENT.test(measure) || value === null ? null : 0;
}

/** The value of a measure: a cell, or the quotient of two. */
function toCell({ parts }: MeasureSource, cells: (run: string) => UsageValues | undefined): Cell {
  const [first, second] = parts.map(({ run, measure }) => readCell(cells(run), measure));
  if (second === undefined) {
    return first ?? null;
  }
  return Number(second) === 0 ? null : Number(first ?? 0) / Number(second);
}

function groupOf(row: UsageRow, { query, plan }: { query: AskedQuery; plan: UsagePlan }) {
  return Object.fromEntries(
    query.dimensions.map((name, at) => [name, row.group[plan.dimensions[at] ?? "route"] ?? ""]),
  );
}

type Place = { time: string | null; group: Record<string, string> };

/** The rows of all runs by step and group; those of the period before have the steps of this one. */
function place(
  periods: readonly {
    id: string;
    rows: readonly UsageRow[];
    toTime: (time: string | null) => string | null | undefined;
  }[],
  context: { query: AskedQuery; plan: UsagePlan },
) {
  const places = new Map<string, Place & { cells: Map<string, UsageValues> }>();
  for (const { id, rows, toTime } of periods) {
    for (const row of rows) {
      const time = toTime(row.time);
      if (time === undefined) {
        continue;
      }
      const found = { time, group: groupOf(row, context) };
      const name = JSON.stringify([found.time, ...Object.values(found.group)]);
      const known = places.get(name) ?? { ...found, cells: new Map<string, UsageValues>() };
      known.cells.set(id, row.values);
      places.set(name, known);
    }
  }
  return places;
}

/** Joins the reports of several runs: a row has the values of all of them, and those of the period before. */
export function joinRuns(
  reports: readonly RunReport[],
  context: { query: AskedQuery; plan: UsagePlan },
): Joined {
  const { sources } = context.plan;
  const toCells = (cells: (run: string) => UsageValues | undefined): Cells =>
    Object.fromEntries(sources.map((source) => [source.name, toCell(source, cells)]));
  const now = place(
    reports.map(({ run, report }) => ({ id: run.id, rows: report.rows, toTime: (time) => time })),
    context,
  );
  const isCompared = reports.some(({ before }) => before !== null);
  const then = place(
    reports.map(({ run, report, before }) => ({
      id: run.id,
      rows: before?.rows ?? [],
      toTime: (time) => (time === null ? null : report.times[before?.times.indexOf(time) ?? -1]),
    })),
    context,
  );
  const names = new Set([...now.keys(), ...then.keys()]);
  const rows = [...names].map((name): AnswerRow => {
    const found = now.get(name) ?? then.get(name);
    return {
      time: found?.time ?? null,
      group: found?.group ?? {},
      values: toCells((run) => now.get(name)?.cells.get(run)),
      before: isCompared ? toCells((run) => then.get(name)?.cells.get(run)) : null,
    };
  });
  return {
    rows,
    totals: toCells((id) => reports.find(({ run }) => run.id === id)?.report.totals),
    totalsBefore: isCompared
      ? toCells((id) => reports.find(({ run }) => run.id === id)?.before?.totals)
      : null,
  };
}
