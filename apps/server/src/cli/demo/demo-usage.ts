import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { isBillableStatus, type Outcome } from "@turnpike/domain/metering/outcome";
import { minuteOf, type PeriodUnit, periodAt } from "@turnpike/domain/time/period";
import type { UsageGroup } from "#modules/metering/index.ts";
import { type DemoIncident, findDemoIncident } from "./demo-incidents.ts";
import { rhythmAt } from "./demo-rhythm.ts";
import { type DemoRoute, listRoutesOf, spreadOverRoutes } from "./demo-routes.ts";
import type { DemoTenant } from "./demo-tenants.ts";
import { drawCount, type SeededRandom, seededRandom, splitByWeight } from "./seeded-random.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** What the demo shows: `[fromMs, untilMs)`, whole minutes, epoch milliseconds. */
export type DemoWindow = { fromMs: number; untilMs: number };

export type DemoKey = {
  keyId: KeyId;
  name: string;
  environment: Environment;
  /** Part of the tenant's traffic. */
  share: number;
  activeFromMs: number;
  /** Calls after this are refused; null for a key in use. */
  revokedAtMs: number | null;
};

export type DemoUsageInput = {
  seed: number;
  window: DemoWindow;
  tenantId: TenantId;
  tenant: DemoTenant;
  joinedAtMs: number;
  periodAnchor: Date;
  periodUnit: PeriodUnit;
  keys: readonly DemoKey[];
  /** Units that may be billed in the period that starts here; null without a hard quota. */
  hardQuotaOf: (environment: Environment, periodStartMs: number) => number | null;
};

/** Usage of one tenant in one clock hour. */
export type DemoHour = {
  startMs: number;
  endMs: number;
  entries: UsageGroup["entries"];
  /** Rows of the ledger: entries that differ in method and route alone are one. */
  ledgerEntries: number;
};

type Share = { outcome: Outcome; status: number; weight: number };

/** The demo's last days are fine-grained, so that charts of the last hours look like live ones. */
const QUARTERS_FOR_MS = 3 * DAY_MS;
const MINUTES_FOR_MS = 2 * HOUR_MS;

const ORDINARY: readonly Share[] = [
  { outcome: "VALID", status: 200, weight: 900 },
  { outcome: "VALID", status: 201, weight: 25 },
  { outcome: "VALID", status: 304, weight: 40 },
  { outcome: "VALID", status: 404, weight: 22 },
  { outcome: "VALID", status: 400, weight: 9 },
  { outcome: "VALID", status: 500, weight: 0.8 },
  { outcome: "CLIENT_ABORTED", status: 499, weight: 0.7 },
  { outcome: "RATE_LIMITED", status: 429, weight: 1 },
  { outcome: "UPSTREAM_TIMEOUT", status: 504, weight: 0.5 },
];

const OUTAGE: readonly Share[] = [
  { outcome: "VALID", status: 200, weight: 280 },
  { outcome: "VALID", status: 500, weight: 90 },
  { outcome: "VALID", status: 503, weight: 130 },
  { outcome: "UPSTREAM_UNREACHABLE", status: 502, weight: 380 },
  { outcome: "UPSTREAM_TIMEOUT", status: 504, weight: 120 },
];

const RETRY_STORM: readonly Share[] = [
  { outcome: "VALID", status: 200, weight: 240 },
  { outcome: "VALID", status: 404, weight: 6 },
  { outcome: "RATE_LIMITED", status: 429, weight: 750 },
  { outcome: "CLIENT_ABORTED", status: 499, weight: 4 },
];

/** While the API is replaced. */
const DEPLOY: readonly Share[] = [
  { outcome: "VALID", status: 200, weight: 600 },
  { outcome: "VALID", status: 404, weight: 15 },
  { outcome: "UPSTREAM_UNREACHABLE", status: 502, weight: 385 },
];

/** What a route that fails answers. */
const FAILED_STATUS = 500;

const refusedWith = (outcome: Outcome, status: number): readonly Share[] => [
  { outcome, status, weight: 1 },
];
const REVOKED = refusedWith("REVOKED", 401);
const SUSPENDED = refusedWith("TENANT_SUSPENDED", 403);

/** The instant at a part of the window, at the start of an hour. */
export function instantAt(window: DemoWindow, part: number): number {
  const span = window.untilMs - window.fromMs;
  return Math.floor((window.fromMs + span * part) / HOUR_MS) * HOUR_MS;
}

/** When stories take place, as parts of the window. */
export const STORY = {
  rotation: 0.5,
  upgrade: 0.55,
  outage: 0.65,
  retryStorm: 0.8,
  launch: 0.86,
  suspension: 0.9,
} as const;
const OUTAGE_HOURS = 3;
const STORM_HOURS = 5;

function isWithinHours(nowMs: number, startMs: number, hours: number): boolean {
  return nowMs >= startMs && nowMs < startMs + hours * HOUR_MS;
}

/** Expected calls of an hour: growth, day, week, weather of the hour, and the tenant's story. */
function expectedCalls(input: DemoUsageInput, hourMs: number): number {
  const { tenant, window, seed } = input;
  const days = (hourMs - window.fromMs) / DAY_MS;
  const weather = 0.8 + 0.4 * seededRandom(seed, tenant.name, "weather", hourMs)();
  const growth = (1 + tenant.growthPerDay) ** days;
  const base = tenant.callsPerHour * growth * rhythmAt(tenant, hourMs);
  return base * weather * storyFactor(input, hourMs);
}

type Tools = {
  book: QuotaBook;
  routes: readonly DemoRoute[];
  /** The incident at an instant, if there is one. */
  incidentAt: (nowMs: number) => DemoIncident | undefined;
};

function findMainRoute(routes: readonly DemoRoute[]): DemoRoute | undefined {
  return routes.toSorted((one, other) => other.weight - one.weight)[0];
}

function storyFactor({ tenant, window }: DemoUsageInput, hourMs: number): number {
  switch (tenant.story) {
    case "retry-storm":
      return isWithinHours(hourMs, instantAt(window, STORY.retryStorm), STORM_HOURS) ? 7 : 1;
    case "launch":
      return hourMs >= instantAt(window, STORY.launch) ? 4 : 1;
    case "suspended": {
      const daysSuspended = (hourMs - instantAt(window, STORY.suspension)) / DAY_MS;
      return daysSuspended <= 0 ? 1 : Math.exp(-daysSuspended);
    }
    case "steady":
    case "hits-quota":
    case "upgrade":
      return 1;
    default:
      return tenant.story satisfies never;
  }
}

function sharesOf(
  input: DemoUsageInput,
  key: DemoKey,
  { nowMs, incident }: { nowMs: number; incident: DemoIncident | undefined },
): readonly Share[] {
  const { tenant, window } = input;
  if (key.revokedAtMs !== null && nowMs >= key.revokedAtMs) {
    return REVOKED;
  }
  if (tenant.story === "suspended" && nowMs >= instantAt(window, STORY.suspension)) {
    return SUSPENDED;
  }
  if (isWithinHours(nowMs, instantAt(window, STORY.outage), OUTAGE_HOURS)) {
    return OUTAGE;
  }
  if (incident?.kind === "deploy") {
    return DEPLOY;
  }
  if (incident?.kind === "retry-storm" && incident.key === key.name) {
    return RETRY_STORM;
  }
  const isStorm =
    tenant.story === "retry-storm" &&
    isWithinHours(nowMs, instantAt(window, STORY.retryStorm), STORM_HOURS);
  return isStorm ? RETRY_STORM : ORDINARY;
}

/** A program that still uses the old key gives up within days. */
function trafficOf(key: DemoKey, nowMs: number): number {
  if (nowMs < key.activeFromMs) {
    return 0;
  }
  if (key.revokedAtMs === null || nowMs < key.revokedAtMs) {
    return key.share;
  }
  return key.share * 0.3 * Math.exp((-2 * (nowMs - key.revokedAtMs)) / DAY_MS);
}

function bucketMsAt(window: DemoWindow, hourMs: number): number {
  if (hourMs >= window.untilMs - MINUTES_FOR_MS) {
    return MINUTE_MS;
  }
  return hourMs >= window.untilMs - QUARTERS_FOR_MS ? 15 * MINUTE_MS : HOUR_MS;
}

/** Counts what is billed of each balance, and turns what lies beyond a hard quota into refusals, as the gateway does. */
class QuotaBook {
  readonly #input: DemoUsageInput;
  readonly #used = new Map<string, number>();

  constructor(input: DemoUsageInput) {
    this.#input = input;
  }

  /** Takes up to `calls` billable units; returns how many were there. */
  take(environment: Environment, periodStartMs: number, calls: number): number {
    const quota = this.#input.hardQuotaOf(environment, periodStartMs);
    const slot = `${environment}|${String(periodStartMs)}`;
    const used = this.#used.get(slot) ?? 0;
    const taken = quota === null ? calls : Math.max(0, Math.min(calls, quota - used));
    this.#used.set(slot, used + taken);
    return taken;
  }
}

type Bucket = {
  key: DemoKey;
  startMs: number;
  calls: number;
  random: SeededRandom;
  /** Of its own, so that how many calls there are does not hang on how they are spread over routes. */
  routeRandom: SeededRandom;
};

/** How much slower than at a quiet hour the API answers: at the tenant's peak a third, in the outage many times. */
function loadAt({ tenant, window }: DemoUsageInput, nowMs: number): number {
  const phase = ((new Date(nowMs).getUTCHours() - tenant.peakHour) / 24) * 2 * Math.PI;
  const isOutage = isWithinHours(nowMs, instantAt(window, STORY.outage), OUTAGE_HOURS);
  return (1.17 + 0.17 * Math.cos(phase)) * (isOutage ? 7 : 1);
}

/** The calls of a key in a part of an hour, with what an incident adds or takes away. */
function callsIn(
  incident: DemoIncident | undefined,
  key: DemoKey,
  { own, hours, random }: { own: number; hours: number; random: SeededRandom },
): number {
  switch (incident?.kind) {
    case "silence":
      return 0;
    case "takeover":
    case "retry-storm":
      return incident.key === key.name
        ? own + drawCount(incident.callsPerHour * hours, random)
        : own;
    default:
      return own;
  }
}

function addEntries(
  hour: DemoHour,
  input: DemoUsageInput,
  { book, routes, incidentAt }: Tools,
  bucket: Bucket,
): void {
  const { key, startMs } = bucket;
  const incident = incidentAt(startMs);
  const mainRoute = findMainRoute(routes);
  const measured =
    incident?.kind === "slow-route"
      ? routes.map((route) =>
          route === mainRoute ? { ...route, medianMs: incident.medianMs } : route,
        )
      : routes;
  const period = periodAt(input.periodAnchor, input.periodUnit, new Date(startMs));
  const periodStartMs = period.start.getTime();
  const shares = sharesOf(input, key, { nowMs: startMs, incident });
  const parts = splitByWeight(
    bucket.calls,
    shares.map((share) => share.weight),
    bucket.random,
  );
  const load = loadAt(input, startMs);
  const add = (outcome: Outcome, status: number, total: number, isBilled: boolean) => {
    if (total === 0) {
      return;
    }
    const spread = { outcome, status, calls: total, load, random: bucket.routeRandom };
    const able = isBroken && status === FAILED_STATUS ? withoutMain : measured;
    for (const part of spreadOverRoutes({ ...spread, routes: able })) {
      const isFailing = isBroken && status === 200 && part.route === mainRoute?.route;
      rows.add(`${outcome} ${String(isFailing ? FAILED_STATUS : status)}`);
      hour.entries.push({
        ...part,
        tenantId: input.tenantId,
        keyId: key.keyId,
        environment: key.environment,
        meterId: REQUESTS_METER,
        outcome,
        status: isFailing ? FAILED_STATUS : status,
        minuteMs: minuteOf(startMs),
        periodStartMs,
        periodEndMs: period.end.getTime(),
        quantity: isBilled && !isFailing ? part.calls : 0,
      });
    }
  };
  const isBroken = incident?.kind === "failing-route";
  // What fails anyway fails elsewhere, so that each route has one entry of a status.
  const withoutMain = measured.filter(({ route }) => route !== mainRoute?.route);
  const rows = new Set<string>();
  let refused = 0;
  for (const [index, { outcome, status }] of shares.entries()) {
    const calls = parts[index] ?? 0;
    if (outcome === "VALID" && isBillableStatus(status)) {
      const taken = book.take(key.environment, periodStartMs, calls);
      refused += calls - taken;
      add(outcome, status, taken, true);
    } else {
      add(outcome, status, calls, false);
    }
  }
  add("QUOTA_EXCEEDED", 429, refused, false);
  hour.ledgerEntries += rows.size;
}

/** How many hours {@link generateUsage} will give. */
export function countHours(input: Pick<DemoUsageInput, "joinedAtMs" | "window">): number {
  const first = Math.floor(input.joinedAtMs / HOUR_MS);
  return Math.max(0, Math.ceil(input.window.untilMs / HOUR_MS) - first);
}

/**
 * Makes up the usage of a tenant, hour by hour in the order of time, from the seed alone: the same input gives the same
 * hours. Entries lie in `[joinedAtMs, untilMs)`, on whole minutes; what is billed in a period never exceeds its hard
 * quota.
 */
export function* generateUsage(input: DemoUsageInput): Generator<DemoHour> {
  const { window, seed, tenant } = input;
  const timed = findDemoIncident(tenant, window);
  const tools: Tools = {
    book: new QuotaBook(input),
    routes: listRoutesOf(seed, tenant.name),
    incidentAt: (nowMs) =>
      timed !== undefined && nowMs >= timed.fromMs && nowMs < timed.toMs
        ? timed.incident
        : undefined,
  };
  const firstMs = Math.floor(input.joinedAtMs / HOUR_MS) * HOUR_MS;
  for (let hourMs = firstMs; hourMs < window.untilMs; hourMs += HOUR_MS) {
    const endMs = Math.min(hourMs + HOUR_MS, window.untilMs);
    const bucketMs = bucketMsAt(window, hourMs);
    const expected = (expectedCalls(input, hourMs) * bucketMs) / HOUR_MS;
    const random = seededRandom(seed, tenant.name, "calls", hourMs);
    const routeRandom = seededRandom(seed, tenant.name, "calls by route", hourMs);
    // Of its own, so that an incident changes nothing but what it is.
    const incidentRandom = seededRandom(seed, tenant.name, "incident", hourMs);
    const hour: DemoHour = { startMs: hourMs, endMs, entries: [], ledgerEntries: 0 };
    for (let startMs = hourMs; startMs < endMs; startMs += bucketMs) {
      const incident = tools.incidentAt(startMs);
      for (const key of input.keys) {
        const own = drawCount(expected * trafficOf(key, startMs), random);
        const hours = bucketMs / HOUR_MS;
        const calls = callsIn(incident, key, { own, hours, random: incidentRandom });
        if (calls > 0 && startMs >= input.joinedAtMs) {
          addEntries(hour, input, tools, { key, startMs, calls, random, routeRandom });
        }
      }
    }
    yield hour;
  }
}
