import {
  countLatencies,
  latencyPercentile,
  mergeLatencies,
} from "@turnpike/domain/metering/latency-histogram";
import { toRouteTemplate } from "@turnpike/domain/routes/route-template";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listRoutesOf, spreadOverRoutes } from "./demo-routes.ts";
import { DEMO_TENANTS } from "./demo-tenants.ts";
import { seededRandom } from "./seeded-random.ts";

const spread = (input: Partial<Parameters<typeof spreadOverRoutes>[0]>) =>
  spreadOverRoutes({
    routes: listRoutesOf(1, "Blue Heron Maps"),
    outcome: "VALID",
    status: 200,
    calls: 1_000,
    load: 1,
    random: seededRandom("test"),
    ...input,
  });

describe("listRoutesOf", () => {
  it("gives every tenant some routes of its own mixture, in the form that the gateway learns", () => {
    const lists = DEMO_TENANTS.map(({ name }) => listRoutesOf(1, name));
    for (const routes of lists) {
      expect(routes.length).toBeGreaterThanOrEqual(3);
      expect(routes.map(({ route }) => toRouteTemplate(route))).toEqual(
        routes.map(({ route }) => route),
      );
    }
    expect(new Set(lists.map((routes) => JSON.stringify(routes))).size).toBe(DEMO_TENANTS.length);
  });
});

describe("spreadOverRoutes", () => {
  it("loses and invents no call, and measures each of those that the API answered", () => {
    const tenant = fc.constantFrom(...DEMO_TENANTS);
    const answer = fc.constantFrom(
      ...([
        ["VALID", 200],
        ["VALID", 201],
        ["VALID", 304],
        ["VALID", 404],
        ["VALID", 500],
        ["UPSTREAM_TIMEOUT", 504],
        ["RATE_LIMITED", 429],
        ["CLIENT_ABORTED", 499],
      ] as const),
    );
    fc.assert(
      fc.property(
        tenant,
        answer,
        fc.integer({ min: 1, max: 20_000 }),
        fc.nat(),
        (drawn, [outcome, status], calls, seed) => {
          const input = { outcome, status, calls, routes: listRoutesOf(seed, drawn.name) };
          const parts = spread({ ...input, random: seededRandom(seed) });
          expect(parts.reduce((sum, part) => sum + part.calls, 0)).toBe(calls);
          expect(spread({ ...input, random: seededRandom(seed) })).toEqual(parts);
          const isMeasured = outcome === "VALID" || outcome === "UPSTREAM_TIMEOUT";
          for (const part of parts) {
            expect(part.calls).toBeGreaterThan(0);
            const measured = part.latencies === undefined ? 0 : countLatencies(part.latencies);
            expect(measured).toBe(isMeasured ? part.calls : 0);
            expect(Number.isInteger(part.bytesIn) && Number.isInteger(part.bytesOut)).toBe(true);
          }
        },
      ),
    );
  });

  it("has a slow percent many times as slow as the half, and is slower under load", () => {
    const latenciesAt = (load: number) => {
      const random = seededRandom("percentiles", load);
      const parts = Array.from({ length: 50 }, () => spread({ load, random })).flat();
      const ofRoute = parts.filter((part) => part.route === "/v1/places/{id}");
      return mergeLatencies(ofRoute.flatMap((part) => part.latencies ?? []));
    };
    const quiet = latenciesAt(1);
    const half = latencyPercentile(quiet, 0.5) ?? 0;
    expect(latencyPercentile(quiet, 0.95) ?? 0).toBeGreaterThan(1.2 * half);
    expect(latencyPercentile(quiet, 0.99) ?? 0).toBeGreaterThan(4 * half);
    expect(latencyPercentile(latenciesAt(3), 0.5) ?? 0).toBeGreaterThan(2 * half);
  });
});
