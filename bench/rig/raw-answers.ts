import type { Sql } from "@turnpike/db/client";

type Range = { tenantId: string; fromMs: number; toMs: number };
type RawRow = { time: Date | null; value: string | null; requests: number; p95: number | null };

export type RawQuestion = {
  /** Of the question of a screen. */
  name: string;
  /** The same numbers from the calls themselves. */
  ask(sql: Sql, range: Range): Promise<RawRow[]>;
};

/** The day in Berlin: the instant at which it begins. */
const DAY = "date_trunc('day', occurred_at, 'Europe/Berlin')";
const NO_TIME = "null::timestamptz";

/** Requests by time and value. @param measures - What the screen asks for besides, so that both read the same. */
function summed({
  time,
  value,
  measures = "null::float8 as p95",
}: {
  time: string;
  value: string;
  measures?: string;
}) {
  const columns = { time, value, measures };
  return async (sql: Sql, { tenantId, fromMs, toMs }: Range) =>
    await sql<RawRow[]>`
      select ${sql.unsafe(columns.time)} as time, ${sql.unsafe(columns.value)} as value, count(*)::int as requests,
        ${sql.unsafe(columns.measures)}
      from bench_calls
      where tenant_id = ${tenantId} and occurred_at >= ${new Date(fromMs)} and occurred_at < ${new Date(toMs)}
      group by 1, 2`;
}

export const RAW_QUESTIONS: readonly RawQuestion[] = [
  {
    name: "overview outcomes, Europe/Berlin",
    ask: summed({ time: DAY, value: "outcome" }),
  },
  {
    name: "analytics 30 days, statuses",
    ask: summed({ time: NO_TIME, value: "status::text" }),
  },
  {
    name: "analytics 30 days, top routes",
    ask: summed({ time: NO_TIME, value: "route" }),
  },
  {
    name: "overview figures, Europe/Berlin",
    ask: summed({
      time: DAY,
      value: "null::text",
      measures: `count(*) filter (where outcome = 'VALID' and status >= 500) as errors, count(*) filter (where outcome <> 'VALID') as denied,
        percentile_disc(0.95) within group (order by latency_ms) as p95`,
    }),
  },
];

function toLine(time: string | null, value: string | null, requests: number): string {
  return `${time ?? ""}|${value ?? ""}|${String(requests)}`;
}

/** Lines such as `2026-03-01T23:00:00.000Z|VALID|120`, in the order of their bytes: what both ways must agree on, to the call. */
export function toComparable(rows: readonly RawRow[]): string {
  return rows
    .map(({ time, value, requests }) => toLine(time?.toISOString() ?? null, value, requests))
    .sort()
    .join("\n");
}

export type ReportRow = {
  time: string | null;
  group: Readonly<Record<string, string>>;
  values: { requests: number; latency_p95?: number | null };
};

/** The same of an answer of the API. */
export function reportToComparable(rows: readonly ReportRow[]): string {
  return rows
    .map(({ time, group, values }) =>
      toLine(time, Object.values(group)[0] ?? null, values.requests),
    )
    .sort()
    .join("\n");
}

/** The most that a percentile of a histogram may be away from the exact one. */
const P95_ERROR_MAX = 0.02;

/** @throws when a day's p95 is further from the exact one than a histogram may be. */
export function assertSameLatencies(raw: readonly RawRow[], report: readonly ReportRow[]): void {
  const exact = new Map(raw.map(({ time, p95 }) => [time?.toISOString() ?? "", p95]));
  for (const { time, values } of report) {
    const ours = values.latency_p95;
    const theirs = exact.get(time ?? "") ?? null;
    if (ours === undefined) {
      continue;
    }
    const isSame =
      ours === null || theirs === null
        ? ours === theirs
        : Math.abs(ours - theirs) <= theirs * (P95_ERROR_MAX + 1e-6);
    if (!isSame) {
      throw new Error(
        `The p95 of ${String(time)} is ${String(ours)} by rollups and ${String(theirs)} by calls.`,
      );
    }
  }
}
