import { type CallMethod, toCallMethod } from "@turnpike/domain/metering/call-method";
import {
  addLatency,
  emptyLatencies,
  type LatencyHistogram,
} from "@turnpike/domain/metering/latency-histogram";
import type { Outcome } from "@turnpike/domain/metering/outcome";
import { drawCount, type SeededRandom, seededRandom, splitByWeight } from "./seeded-random.ts";

export type DemoRoute = {
  method: CallMethod;
  route: string;
  weight: number;
  /** Half of the calls at a quiet hour are faster. */
  medianMs: number;
  /** How far calls lie apart: 0.2 for a look-up, 0.6 for what is computed. */
  spread: number;
  bytesIn: number;
  bytesOut: number;
};

function routeOf(
  call: string,
  weight: number,
  speed: [medianMs: number, spread: number],
  bytes: [bytesIn: number, bytesOut: number],
): DemoRoute {
  const [method, route = "/"] = call.split(" ");
  const [medianMs, spread] = speed;
  const [bytesIn, bytesOut] = bytes;
  return { method: toCallMethod(method ?? ""), route, weight, medianMs, spread, bytesIn, bytesOut };
}

/** The API that the demo's tenants call: maps and places. */
const DEMO_ROUTES: readonly DemoRoute[] = [
  routeOf("GET /v1/places/{id}", 30, [14, 0.25], [0, 1_900]),
  routeOf("GET /v1/tiles/{id}/{id}/{id}.mvt", 26, [8, 0.3], [0, 24_000]),
  routeOf("GET /v1/geocode", 22, [24, 0.35], [0, 950]),
  routeOf("GET /v1/places", 18, [38, 0.45], [0, 8_200]),
  routeOf("POST /v1/routes", 9, [120, 0.5], [620, 14_000]),
  routeOf("GET /v1/matrix", 3, [310, 0.6], [0, 22_000]),
  routeOf("POST /v1/places", 2, [45, 0.35], [780, 420]),
  routeOf("PATCH /v1/places/{id}", 1.5, [40, 0.35], [260, 420]),
  routeOf("POST /v1/exports", 0.8, [870, 0.6], [340, 310]),
  routeOf("DELETE /v1/places/{id}", 0.4, [28, 0.3], [0, 40]),
];

const CREATING: readonly string[] = ["/v1/places", "/v1/exports"];
/** The gateway's time limit for the head of an answer. */
const TIMEOUT_MS = 60_000;
const ERROR_BYTES = 180;
/** Calls in a hundred that meet a cold cache or a full queue. */
const SLOW_PER_CALL = 0.012;
const STRATA_MAX = 12;

/** The routes that a tenant's program calls, and how much of each: some of those that are there. */
export function listRoutesOf(seed: number, tenantName: string): DemoRoute[] {
  const random = seededRandom(seed, tenantName, "routes");
  const chosen = DEMO_ROUTES.map((route) => ({
    ...route,
    weight: route.weight * (0.3 + 1.4 * random()),
  }));
  return chosen.filter(({ weight }, place) => place < 3 || random() > 0.3 || weight > 10);
}

/** A route may answer with a status only where that makes sense: nothing is created by reading. */
function canAnswer({ method, route }: DemoRoute, status: number): boolean {
  const isCreating = method === "POST" && CREATING.includes(route);
  switch (status) {
    case 200:
      return !isCreating;
    case 201:
      return isCreating;
    case 304:
      return method === "GET";
    case 404:
      return route.includes("{id}");
    default:
      return true;
  }
}

/** How many times slower or faster than the route's ordinary answers; undefined when nothing is measured. */
function slowness(outcome: Outcome, status: number): number | undefined {
  if (outcome === "UPSTREAM_UNREACHABLE") {
    return 0.2;
  }
  if (outcome !== "VALID") {
    return undefined;
  }
  if (status === 304) {
    return 0.35;
  }
  if (status >= 500) {
    return 1.8;
  }
  return status >= 400 ? 0.5 : 1;
}

/** Latencies of many calls from few draws: one in each of as many equal parts of the distribution, and the slow ones. */
function drawLatencies(
  route: DemoRoute,
  calls: number,
  factor: number,
  random: SeededRandom,
): LatencyHistogram {
  const histogram = emptyLatencies();
  const slow = Math.min(calls, drawCount(calls * SLOW_PER_CALL, random));
  const strata = Math.min(STRATA_MAX, calls - slow);
  const part = Math.floor((calls - slow) / Math.max(1, strata));
  const rest = calls - slow - part * strata;
  for (let stratum = 0; stratum < strata; stratum += 1) {
    const share = Math.min(0.995, (stratum + random()) / strata + 1e-4);
    // The logistic distribution of logarithms: close to a log-normal one, with the longer tail that services have.
    const ms = route.medianMs * factor * (share / (1 - share)) ** (route.spread * 0.55);
    addLatency(histogram, ms, part + (stratum < rest ? 1 : 0));
  }
  if (slow > 0) {
    addLatency(histogram, route.medianMs * factor * (6 + 10 * random()), slow);
  }
  return histogram;
}

/** A few calls go to few routes; over the hours every route gets its share. Else most rows would hold a single call. */
function pickRoutes(
  able: readonly DemoRoute[],
  calls: number,
  random: SeededRandom,
): readonly DemoRoute[] {
  const wanted = calls < 12 ? 1 : Math.ceil(Math.sqrt(calls) / 4);
  const left = [...able];
  const picked: DemoRoute[] = [];
  while (picked.length < wanted && left.length > 0) {
    let at = random() * left.reduce((sum, route) => sum + route.weight, 0);
    const place = left.findIndex((route) => {
      at -= route.weight;
      return at < 0;
    });
    picked.push(...left.splice(Math.max(0, place), 1));
  }
  return picked;
}

export type DemoPart = {
  method: CallMethod;
  route: string;
  calls: number;
  bytesIn: number;
  bytesOut: number;
  latencies?: LatencyHistogram;
};

/**
 * Spreads calls of one outcome over routes. The parts have 1 or more calls each and add up to `calls`.
 *
 * @param input.load - How busy the API is: 1 is a quiet hour, and its latencies grow with it.
 */
export function spreadOverRoutes(input: {
  routes: readonly DemoRoute[];
  outcome: Outcome;
  status: number;
  calls: number;
  load: number;
  random: SeededRandom;
}): DemoPart[] {
  const { outcome, status, load, random } = input;
  const able = input.routes.filter((route) => canAnswer(route, status));
  const routes = pickRoutes(able.length > 0 ? able : input.routes, input.calls, random);
  const weights = routes.map((route) => route.weight);
  const parts = splitByWeight(input.calls, weights, random);
  const factor = slowness(outcome, status);
  return routes.flatMap((route, place) => {
    const calls = parts[place] ?? 0;
    if (calls === 0) {
      return [];
    }
    const bytesOut = status === 304 ? 0 : status >= 400 ? ERROR_BYTES : route.bytesOut;
    const isSent = outcome === "VALID" || outcome === "UPSTREAM_TIMEOUT";
    const part: DemoPart = {
      method: route.method,
      route: route.route,
      calls,
      bytesIn: isSent ? Math.round(calls * route.bytesIn * (0.9 + 0.2 * random())) : 0,
      bytesOut: outcome === "VALID" ? Math.round(calls * bytesOut * (0.9 + 0.2 * random())) : 0,
    };
    if (outcome === "UPSTREAM_TIMEOUT") {
      part.latencies = emptyLatencies();
      addLatency(part.latencies, TIMEOUT_MS, calls);
    } else if (factor !== undefined) {
      part.latencies = drawLatencies(route, calls, factor * load, random);
    }
    return [part];
  });
}
