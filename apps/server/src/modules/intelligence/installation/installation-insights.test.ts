import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createBelow } from "@turnpike/testkit/seeded-chance";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestTenant, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "#modules/keys/index.ts";
import { type RecordedCalls, recordCalls } from "../testing/record-calls.fixture.ts";
import { openScanDeps } from "../testing/scan-deps.fixture.ts";
import {
  listInstallationInsights,
  refreshInstallationInsights,
  updateInstallationInsight,
} from "./manage-installation-insights.ts";

const HOURS = 15 * 24;
const EVENT_HOURS = 4;
/** Before that, `/tiny` was slow. */
const SLOW = { from: 14, to: 10 };

let database: TestDatabase;
let deps: ReturnType<typeof openScanDeps>;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = openScanDeps(database);
});
afterAll(() => database.close());

/** Two weeks of calls of three routes; in the last hours `/export` fails for some of them. */
async function furnish(name: string, { size, fails }: { size: number; fails: number }) {
  const { tenantId, context } = await createTestTenant(deps, name);
  const { keyId: key } = await createKey(deps, OPERATOR_CONTEXT, {
    tenantId,
    environment: "live",
    name: "k",
    scopes: [],
    metadata: {},
  });
  const below = createBelow(size);
  const calls: RecordedCalls[] = [];
  for (let hour = HOURS; hour > 0; hour -= 1) {
    const day = Math.sin((hour / 24) * 2 * Math.PI);
    const failing = hour <= EVENT_HOURS ? Math.round(size * fails) : below(2);
    const latencyMs = 50 + below(8);
    const tinyMs = 40 + below(6);
    calls.push(
      { hour, key, route: "/cities", calls: Math.round(size * (2 + day)) + below(9), latencyMs },
      { hour, key, route: "/export", calls: size - failing + below(9), latencyMs },
      { hour, key, route: "/export", calls: failing, status: 503, latencyMs },
      {
        ...{ hour, key, route: "/tiny", calls: 150 + below(4) },
        latencyMs: hour <= SLOW.from && hour > SLOW.to ? tinyMs + 600 : tinyMs,
      },
    );
  }
  await recordCalls(deps, tenantId, calls);
  return { tenantId, context };
}

describe("insights over all tenants", () => {
  it("name the route that fails and the tenants that make it up", async () => {
    await furnish("Small", { size: 200, fails: 0.05 });
    const large = await furnish("Large", { size: 4000, fails: 0.9 });
    const { items, history } = await refreshInstallationInsights(deps, OPERATOR_CONTEXT);
    expect(history.hours).toBe(HOURS);
    const [rate, ...others] = items.filter(({ evidence }) => evidence?.route === null);
    expect(others).toEqual([]);
    const evidence = rate?.evidence ?? expect.fail();
    expect(evidence).toMatchObject({
      measure: "error_rate",
      direction: "up",
      cause: { dimension: "route", value: "/export" },
    });
    expect(rate?.text).toMatch(
      /^The share of errors rose to \d\d\.\d% \(usually 0\.\d to 0\.\d%\)\./,
    );
    for (const dimension of ["route", "tenant"] as const) {
      const parts = evidence.parts.filter((part) => part.dimension === dimension);
      expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
    }
    const heaviest = evidence.parts.find(({ dimension }) => dimension === "tenant");
    expect(heaviest).toMatchObject({ value: large.tenantId });
    expect(heaviest?.share).toBeGreaterThan(0.7);

    const { items: all } = await listInstallationInsights(deps, OPERATOR_CONTEXT, { state: "all" });
    expect(
      all.map(({ evidence: seen }) => [seen?.measure, seen?.route, seen?.also]).sort(),
    ).toEqual([
      ["error_rate", null, []],
      ["latency_avg", "/tiny", []],
    ]);

    const insightId = rate?.insightId ?? expect.fail();
    await updateInstallationInsight(deps, OPERATOR_CONTEXT, { insightId, isDismissed: true });
    const again = await refreshInstallationInsights(deps, OPERATOR_CONTEXT);
    expect(again.items).toEqual([]);
    const refusals = await Promise.all(
      [
        listInstallationInsights(deps, large.context, { state: "all" }),
        refreshInstallationInsights(deps, large.context),
        updateInstallationInsight(deps, large.context, { insightId, isUseful: false }),
        updateInstallationInsight(deps, OPERATOR_CONTEXT, { insightId: deps.newId("insight") }),
      ].map(refusalOf),
    );
    expect(refusals.map(({ code }) => code)).toEqual([
      "INSUFFICIENT_SCOPE",
      "INSUFFICIENT_SCOPE",
      "INSUFFICIENT_SCOPE",
      "RESOURCE_NOT_FOUND",
    ]);
  });
});
