import { rhythmAt } from "./demo-rhythm.ts";
import type { DemoTenant } from "./demo-tenants.ts";

const HOUR_MS = 60 * 60_000;

/** What goes wrong in the last two days, so that insights have something to find. */
export type DemoIncident =
  /** Someone else uses a key as well. */
  | { kind: "takeover"; key: string; callsPerHour: number }
  /** A program repeats refused calls of one key in a loop. */
  | { kind: "retry-storm"; key: string; callsPerHour: number }
  /** The route that is called most answers with 500. */
  | { kind: "failing-route" }
  /** The route that is called most answers slowly. */
  | { kind: "slow-route"; medianMs: number }
  /** While the API is replaced, a part of all calls cannot reach it. */
  | { kind: "deploy" }
  /** The program of the tenant has stopped. */
  | { kind: "silence" };

type Placed = {
  incident: DemoIncident;
  hours: number;
  /** Hours before the last whole one at which it begins; null for the busiest time of the last two days. */
  beginsBefore: number | null;
};

/** By the name of the tenant. All others are calm. */
const INCIDENTS: Readonly<Record<string, Placed>> = {
  "Blue Heron Maps": {
    incident: { kind: "takeover", key: "mobile app", callsPerHour: 7_500 },
    hours: Number.POSITIVE_INFINITY,
    beginsBefore: 7,
  },
  Parcelweft: { incident: { kind: "failing-route" }, hours: 3, beginsBefore: null },
  "Copperline Tickets": { incident: { kind: "deploy" }, hours: 1, beginsBefore: null },
  "Hollowbrook Cycles": {
    incident: { kind: "retry-storm", key: "mobile app", callsPerHour: 2_600 },
    hours: 4,
    beginsBefore: 13,
  },
  "Nimbus Oak Weather": {
    incident: { kind: "slow-route", medianMs: 3_200 },
    hours: Number.POSITIVE_INFINITY,
    beginsBefore: 9,
  },
  "Lanternfish Studio": {
    incident: { kind: "silence" },
    hours: Number.POSITIVE_INFINITY,
    beginsBefore: 5,
  },
};
const EARLIEST_BEFORE = 40;
const LATEST_BEFORE = 8;

function findBusiestHour(tenant: DemoTenant, lastHourMs: number): number {
  let best = lastHourMs - LATEST_BEFORE * HOUR_MS;
  for (let before = LATEST_BEFORE; before <= EARLIEST_BEFORE; before += 1) {
    const hourMs = lastHourMs - before * HOUR_MS;
    best = rhythmAt(tenant, hourMs) > rhythmAt(tenant, best) ? hourMs : best;
  }
  return best;
}

/** When the incident of a tenant takes place: `[fromMs, toMs)`. */
export type TimedIncident = { incident: DemoIncident; fromMs: number; toMs: number };

/** Finds what goes wrong at a tenant in the last two days of the window; for most tenants nothing does. */
export function findDemoIncident(
  tenant: DemoTenant,
  { untilMs }: { untilMs: number },
): TimedIncident | undefined {
  const placed = INCIDENTS[tenant.name];
  if (placed === undefined) {
    return undefined;
  }
  const { incident, hours, beginsBefore } = placed;
  const lastHourMs = Math.floor(untilMs / HOUR_MS) * HOUR_MS;
  const fromMs =
    beginsBefore === null
      ? findBusiestHour(tenant, lastHourMs)
      : lastHourMs - beginsBefore * HOUR_MS;
  return { incident, fromMs, toMs: Math.min(untilMs, fromMs + hours * HOUR_MS) };
}
