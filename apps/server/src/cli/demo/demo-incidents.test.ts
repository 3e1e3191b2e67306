import { toId } from "@turnpike/domain/ids/ids";
import { type ComparedCalls, explainChange } from "@turnpike/domain/insights/explain-change";
import { EXPLAINED_OF_TENANT } from "@turnpike/domain/insights/explained-by";
import { findIncident } from "@turnpike/domain/insights/find-incident";
import { groupIncidents, type IncidentGroup } from "@turnpike/domain/insights/group-incidents";
import { mergeSameCause } from "@turnpike/domain/insights/merge-same-cause";
import { NOTHING, readMeasure, type SummedCalls } from "@turnpike/domain/insights/read-measure";
import {
  emptyLatencies,
  latencyMean,
  mergeLatencies,
} from "@turnpike/domain/metering/latency-histogram";
import { ADMITTED_OUTCOMES } from "@turnpike/domain/metering/outcome";
import { describe, expect, it } from "vitest";
import { findDemoIncident } from "./demo-incidents.ts";
import { listRoutesOf } from "./demo-routes.ts";
import { DEMO_TENANTS, type DemoTenant } from "./demo-tenants.ts";
import {
  DAY_MS,
  type DemoHour,
  type DemoKey,
  type DemoUsageInput,
  type DemoWindow,
  generateUsage,
  HOUR_MS,
  instantAt,
} from "./demo-usage.ts";

const DAYS = 90;
/** As far back as insights look. */
const LOOK_BACK_MS = 28 * DAY_MS;
const RECENT_MS = 48 * HOUR_MS;
const MEASURES = ["errors", "latency_avg", "denied", "requests"] as const;
const TENANT_ID = toId("tenant", "0199f3b0c1d27a4e8f60112233445500");

type Entry = DemoHour["entries"][number];
type Dimension = ComparedCalls["dimension"];

function sumCalls(entries: readonly Entry[]): SummedCalls {
  const sum = { ...NOTHING };
  const latencies = mergeLatencies(entries.map((entry) => entry.latencies ?? emptyLatencies()));
  for (const { outcome, status, calls } of entries) {
    const isAdmitted = ADMITTED_OUTCOMES.some((admitted) => admitted === outcome);
    sum.requests += calls;
    sum.errors += isAdmitted && status >= 500 ? calls : 0;
    sum.denied += isAdmitted ? 0 : calls;
  }
  return { ...sum, latencyMs: latencyMean(latencies) ?? null };
}

function makeKeys(joinedAtMs: number): DemoKey[] {
  return [
    { name: "production", share: 0.7 },
    { name: "mobile app", share: 0.3 },
  ].map(({ name, share }, index) => ({
    keyId: toId("key", `0199f3b0c1d27a4e8f6011223344550${String(index)}`),
    name,
    share,
    environment: "live",
    activeFromMs: joinedAtMs,
    revokedAtMs: null,
  }));
}

/** The hours that insights look at: hours without calls are there as well. */
function makeHours(tenant: DemoTenant, window: DemoWindow, seed: number) {
  const lookFromMs = window.untilMs - LOOK_BACK_MS;
  const joinsAtMs = tenant.joinsAt === 0 ? window.fromMs : instantAt(window, tenant.joinsAt);
  const joinedAtMs = Math.max(lookFromMs, joinsAtMs);
  const keys = makeKeys(joinedAtMs);
  const input: DemoUsageInput = {
    ...{ seed, window, tenantId: TENANT_ID, tenant, joinedAtMs, keys },
    periodAnchor: new Date(window.fromMs),
    periodUnit: "month",
    hardQuotaOf: () => null,
  };
  const hours = [...generateUsage(input)].filter(
    ({ endMs, startMs }) => endMs - startMs === HOUR_MS,
  );
  return { keys, hours };
}

function entriesWithin(hours: readonly DemoHour[], fromMs: number, toMs: number): Entry[] {
  return hours
    .filter(({ startMs }) => startMs >= fromMs && startMs < toMs)
    .flatMap(({ entries }) => entries);
}

function explain(hours: readonly DemoHour[], keys: readonly DemoKey[], incident: IncidentGroup) {
  const { measure, sinceMs, untilMs } = incident;
  const names = new Map<string, string>(keys.map(({ keyId, name }) => [keyId, name]));
  const nameIn = (entry: Entry, dimension: Dimension) =>
    dimension === "key"
      ? names.get(entry.keyId ?? "")
      : dimension === "tenant" || dimension === "meter"
        ? ""
        : String(entry[dimension]);
  const before = entriesWithin(hours, sinceMs - 7 * DAY_MS, untilMs - 7 * DAY_MS);
  const after = entriesWithin(hours, sinceMs, untilMs);
  return explainChange(
    measure,
    EXPLAINED_OF_TENANT[measure].map((dimension) => {
      const values = new Set([...before, ...after].map((entry) => nameIn(entry, dimension) ?? ""));
      const of = (entries: Entry[], value: string) =>
        sumCalls(entries.filter((entry) => nameIn(entry, dimension) === value));
      return {
        dimension,
        values: [...values].map((value) => ({
          value,
          before: of(before, value),
          after: of(after, value),
        })),
      };
    }),
  );
}

/** Finds incidents as insights do, from the same rules. */
function findAll(tenant: DemoTenant, window: DemoWindow, seed: number) {
  const { keys, hours } = makeHours(tenant, window, seed);
  const summed = hours.map(({ startMs, entries }) => ({
    timeMs: startMs,
    calls: sumCalls(entries),
  }));
  const seriesOf = (measure: (typeof MEASURES)[number]) =>
    summed.map(({ timeMs, calls }) => ({ timeMs, value: readMeasure(calls, measure) }));
  const found = MEASURES.flatMap((measure) => {
    const series = { measure, hours: seriesOf(measure), calls: seriesOf("requests") };
    const incident = findIncident(series, window.untilMs - RECENT_MS);
    return incident === undefined ? [] : [{ ...incident, route: null }];
  });
  const explained = groupIncidents(found).map((incident) => ({
    incident,
    explanation: explain(hours, keys, incident),
  }));
  return mergeSameCause(explained);
}

function mainRouteOf(seed: number, name: string): string {
  const [main] = listRoutesOf(seed, name).toSorted((one, other) => other.weight - one.weight);
  return main?.route ?? "";
}

describe("the incidents of the demo", () => {
  it.each([
    [1, "2026-03-05T00:40:00Z"],
    [2, "2026-03-08T17:05:00Z"],
  ])("are all found, each by its cause, and nothing else is claimed (seed %i, %s)", (seed, now) => {
    const untilMs = Date.parse(now);
    const fromMs = Math.floor((untilMs - DAYS * DAY_MS) / DAY_MS) * DAY_MS;
    const window = { fromMs, untilMs };
    const claims = DEMO_TENANTS.flatMap((tenant) =>
      findAll(tenant, window, seed).map(({ incident, explanation: { cause } }) => {
        const truth = findDemoIncident(tenant, window) ?? expect.fail(`${tenant.name} is calm`);
        // Detected within three hours, and no hour too early.
        expect(incident.sinceMs).toBeGreaterThanOrEqual(truth.fromMs);
        expect(incident.sinceMs).toBeLessThan(truth.fromMs + 4 * HOUR_MS);
        const by = cause === null ? "everywhere" : `${cause.dimension} ${cause.value}`;
        return [tenant.name, incident.measure, incident.direction, by];
      }),
    );
    expect(claims.sort()).toEqual([
      ["Blue Heron Maps", "requests", "up", "key mobile app"],
      ["Copperline Tickets", "errors", "up", "status 502"],
      ["Hollowbrook Cycles", "denied", "up", "key mobile app"],
      ["Lanternfish Studio", "requests", "down", "everywhere"],
      [
        "Nimbus Oak Weather",
        "latency_avg",
        "up",
        `route ${mainRouteOf(seed, "Nimbus Oak Weather")}`,
      ],
      ["Parcelweft", "errors", "up", `route ${mainRouteOf(seed, "Parcelweft")}`],
    ]);
  });
});
