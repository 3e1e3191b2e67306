import {
  isEventDimension,
  isMeterMeasure,
  meterOf,
  nameOfDimension,
} from "@turnpike/contract/meter-measure";
import type { UsageReport } from "@turnpike/contract/usage";
import type {
  CallMeasure,
  UsageDimension,
  UsageMeasure,
  UsageQuestion,
} from "@turnpike/contract/usage-query";
import type { Aggregation } from "@turnpike/domain/catalog/meter";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { CallMethod } from "@turnpike/domain/metering/call-method";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import { type Grain, MINUTE_MS } from "@turnpike/domain/time/zoned-buckets";

/** Calls of one minute that have everything in common, with each of their latencies. */
export type ReferenceCalls = {
  tenant: TenantId;
  plan: string;
  key: KeyId;
  route: string;
  method: CallMethod | "";
  status: number;
  outcome: Outcome;
  environment: Environment;
  model: string;
  minuteMs: number;
  calls: number;
  quantity: number;
  bytesIn: number;
  bytesOut: number;
  latenciesMs: number[];
};

/** An event, as the meters that count it see it. */
export type ReferenceEvent = {
  tenant: TenantId;
  plan: string;
  /** The empty text for the operator's programs. */
  key: KeyId | "";
  /** Of each event another one. */
  atMs: number;
  value: number;
  who: string;
  /** What the version that counted it keeps of it. */
  parts: Readonly<Record<string, string>>;
};

export type ReferenceRow = { groupKey: string; values: Map<UsageMeasure, number | null> };
export type ReferenceReport = { rows: ReferenceRow[]; totals: ReferenceRow["values"] };

function localParts(timeZone: string, ms: number): { day: string; minute: string; all: string } {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    dateStyle: "short",
    timeStyle: "short",
    hourCycle: "h23",
  });
  const [day = "", time = ""] = format.format(ms).split(", ");
  return { day, minute: time.slice(3), all: `${day} ${time}` };
}

/** What tells the bucket of an instant from every other one, by what the clocks of the zone show. */
export function bucketLabel(grain: Grain | null, timeZone: string, ms: number): string {
  const { day } = localParts(timeZone, ms);
  switch (grain) {
    case null:
      return "";
    case "minute":
      return String(ms);
    case "hour": {
      let startsMs = ms;
      while (localParts(timeZone, startsMs).minute !== "00") {
        startsMs -= MINUTE_MS;
      }
      return String(startsMs);
    }
    case "day":
      return day;
    case "month":
      return day.slice(0, 7);
    case "week": {
      const date = new Date(`${day}T00:00:00Z`);
      date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
      return date.toISOString().slice(0, 10);
    }
  }
}

function dimensionValue(calls: ReferenceCalls, dimension: UsageDimension): string {
  if (isEventDimension(dimension)) {
    return "";
  }
  return dimension === "status_class"
    ? `${String(calls.status).charAt(0)}xx`
    : String(calls[dimension]);
}

const ADMITTED: readonly Outcome[] = [
  "VALID",
  "CLIENT_ABORTED",
  "UPSTREAM_UNREACHABLE",
  "UPSTREAM_TIMEOUT",
  "OVERLOADED",
  "PAYLOAD_TOO_LARGE",
  "REQUEST_TIMEOUT",
];

function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? null;
}

/** By the aggregation, from the events themselves. */
function aggregate(aggregation: Aggregation, events: readonly ReferenceEvent[]): number | null {
  const values = events.map(({ value }) => value);
  const sum = values.reduce((total, value) => total + value, 0);
  const isCounted = ["count", "sum", "unique_count"].includes(aggregation);
  if (values.length === 0) {
    return isCounted ? 0 : null;
  }
  switch (aggregation) {
    case "count":
      return values.length;
    case "sum":
      return sum;
    case "avg":
      return sum / values.length;
    case "min":
      return Math.min(...values);
    case "max":
      return Math.max(...values);
    case "latest":
      return events.toSorted((a, b) => b.atMs - a.atMs)[0]?.value ?? null;
    case "unique_count":
      return new Set(events.map(({ who }) => who)).size;
  }
}

function eventValue(event: ReferenceEvent, dimension: UsageDimension): string {
  if (isEventDimension(dimension)) {
    return event.parts[nameOfDimension(dimension)] ?? "";
  }
  switch (dimension) {
    case "key":
    case "tenant":
    case "plan":
      return event[dimension];
    case "environment":
      return "live";
    default:
      return "";
  }
}

function measure(name: CallMeasure, all: readonly ReferenceCalls[]): number | null {
  const sum = (of: (calls: ReferenceCalls) => number) =>
    all.reduce((total, calls) => total + of(calls), 0);
  const admitted = all.filter((calls) => ADMITTED.includes(calls.outcome));
  const admittedCalls = admitted.reduce((total, { calls }) => total + calls, 0);
  const errors = admitted
    .filter(({ status }) => status >= 500)
    .reduce((total, { calls }) => total + calls, 0);
  const latencies = all.flatMap((calls) => calls.latenciesMs).sort((a, b) => a - b);
  switch (name) {
    case "requests":
      return sum(({ calls }) => calls);
    case "billable":
      return sum(({ quantity }) => quantity);
    case "errors":
      return errors;
    case "error_rate":
      return admittedCalls === 0 ? null : errors / admittedCalls;
    case "denied":
      return sum(({ calls }) => calls) - admittedCalls;
    case "latency_avg":
      return latencies.length === 0
        ? null
        : latencies.reduce((total, ms) => total + ms, 0) / latencies.length;
    case "latency_p50":
      return percentile(latencies, 0.5);
    case "latency_p95":
      return percentile(latencies, 0.95);
    case "latency_p99":
      return percentile(latencies, 0.99);
    case "bytes_in":
      return sum(({ bytesIn }) => bytesIn);
    case "bytes_out":
      return sum(({ bytesOut }) => bytesOut);
  }
}

const FILTERS = [
  "key",
  "route",
  "method",
  "outcome",
  "environment",
  "model",
  "tenant",
  "plan",
  "status_class",
  "status",
] as const;

export type ReferenceEvents = {
  events: readonly ReferenceEvent[];
  /** Of each meter that counts them all. */
  aggregations: ReadonlyMap<string, Aggregation>;
};

/** Answers a question from the calls and events themselves, without a database, a rollup or a histogram. */
export function answerNaively(
  calls: readonly ReferenceCalls[],
  question: UsageQuestion,
  range: { fromMs: number; toMs: number },
  { events, aggregations }: ReferenceEvents = { events: [], aggregations: new Map() },
): ReferenceReport {
  const { grain = null, timeZone, dimensions, measures, event: parts = [] } = question;
  const isLeft = (ms: number, toText: (dimension: UsageDimension) => string) =>
    ms >= range.fromMs &&
    ms < range.toMs &&
    FILTERS.every((name) => {
      const values: readonly (string | number)[] | undefined = question[name];
      return values === undefined || values.map(String).includes(toText(name));
    });
  const toSlot = (ms: number, toText: (dimension: UsageDimension) => string) =>
    JSON.stringify([bucketLabel(grain, timeZone, ms), ...dimensions.map(toText)]);
  const hasCalls = measures.some((name) => !isMeterMeasure(name));
  const hasEvents = measures.some(isMeterMeasure);
  const leftCalls = calls.filter(
    (one) => hasCalls && isLeft(one.minuteMs, (name) => dimensionValue(one, name)),
  );
  const leftEvents = events.filter(
    (one) =>
      hasEvents &&
      isLeft(one.atMs, (name) => eventValue(one, name)) &&
      [...Map.groupBy(parts, ({ name }) => name)].every(([name, wanted]) =>
        wanted.some(({ value }) => value === (one.parts[name] ?? "")),
      ),
  );
  const callsOf = Map.groupBy(leftCalls, (one) =>
    toSlot(one.minuteMs, (name) => dimensionValue(one, name)),
  );
  const eventsOf = Map.groupBy(leftEvents, (one) =>
    toSlot(Math.floor(one.atMs / MINUTE_MS) * MINUTE_MS, (name) => eventValue(one, name)),
  );
  const measureAll = (of: readonly ReferenceCalls[], ofEvents: readonly ReferenceEvent[]) =>
    new Map<UsageMeasure, number | null>(
      measures.map((name) => [
        name,
        isMeterMeasure(name)
          ? aggregate(aggregations.get(meterOf(name)) ?? "count", ofEvents)
          : measure(name, of),
      ]),
    );
  return {
    rows: [...new Set([...callsOf.keys(), ...eventsOf.keys()])].map((groupKey) => ({
      groupKey,
      values: measureAll(callsOf.get(groupKey) ?? [], eventsOf.get(groupKey) ?? []),
    })),
    totals: measureAll(leftCalls, leftEvents),
  };
}

/** The group key of a row of a report, to find the row of the reference by. */
export function groupKeyOf(report: UsageReport, row: UsageReport["rows"][number]): string {
  const label =
    row.time === null ? "" : bucketLabel(report.grain, report.timeZone, Date.parse(row.time));
  return JSON.stringify([label, ...report.dimensions.map((name) => row.group[name])]);
}
