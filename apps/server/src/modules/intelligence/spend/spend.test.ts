import { catalogInput } from "@turnpike/contract/catalog";
import { createBelow } from "@turnpike/testkit/seeded-chance";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { contextOf, createTestTenant, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { act } from "#modules/billing/testing/billing.fixture.ts";
import { applyCatalog } from "#modules/catalog/index.ts";
import { createKey } from "#modules/keys/index.ts";
import { listAllInsights, listInsights, refreshInsights } from "../manage-insights.ts";
import { type RecordedCalls, recordCalls } from "../testing/record-calls.fixture.ts";
import { openScanDeps } from "../testing/scan-deps.fixture.ts";

const EVENT_HOURS = 5;

const perUnit = (meter: string, unitAmount: string, included: string) => ({
  key: meter,
  meter,
  interval: { month: 1 },
  timing: "arrears",
  price: { model: "per_unit", unitAmount, included },
});
const CATALOG = catalogInput.parse({
  meters: [{ meterId: "tokens", name: "Tokens", unit: "token", aggregation: "count" }],
  plans: [
    {
      planId: "tokens",
      name: "Tokens",
      currency: "USD",
      phases: [
        { rateCards: [perUnit("requests", "0.001", "0"), perUnit("tokens", "0.01", "200000")] },
      ],
    },
  ],
});

let database: TestDatabase;
let deps: ReturnType<typeof openScanDeps>;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = openScanDeps(database);
  await createTestTenant(deps);
  await applyCatalog(deps, OPERATOR_CONTEXT, CATALOG);
});
afterAll(() => database.close());

/** Calls and tokens by two keys; in the last hours each call of the second takes more tokens. */
async function furnish({ factor, days }: { factor: number; days: number }) {
  const { tenantId, context } = await createTestTenant(deps, "Acme");
  await act(deps, { tenantId }, { do: "subscribe", planId: "tokens" });
  const make = async (name: string) =>
    (
      await createKey(deps, OPERATOR_CONTEXT, {
        ...{ tenantId, environment: "live", name, scopes: [], metadata: {} },
      })
    ).keyId;
  const [steady, greedy] = [await make("steady"), await make("greedy")];
  const below = createBelow(5);
  const calls: RecordedCalls[] = [];
  for (let hour = days * 24; hour > 0; hour -= 1) {
    const rhythm = 300 + Math.round(120 * Math.sin((hour / 24) * 2 * Math.PI));
    for (const [key, route] of [
      [steady, "/chat"],
      [greedy, "/batch"],
    ] as const) {
      const many = rhythm + below(30);
      const units = many * (key === greedy && hour <= EVENT_HOURS ? 2 * factor : 2);
      calls.push({ hour, key, route, calls: many });
      calls.push({ hour, key, route, calls: many, meter: "tokens", units });
    }
  }
  await recordCalls(deps, tenantId, calls);
  return { tenantId, context, greedy };
}

describe("what is charged", () => {
  it("is an insight when it leaves the usual though calls do not, with the key, in money; a look-alike tenant gets nothing", async () => {
    const { tenantId, context, greedy } = await furnish({ factor: 8, days: 15 });
    const twin = await furnish({ factor: 1, days: 9 });
    const { items } = await refreshInsights(deps, OPERATOR_CONTEXT, { tenantId });
    const [found, ...others] = items;
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      kind: "anomaly",
      action: { do: "limit_key", keyId: greedy },
      evidence: {
        measure: "spend",
        currency: "USD",
        direction: "up",
        cause: { dimension: "key", value: greedy },
      },
    });
    const evidence = found?.evidence ?? expect.fail();
    for (const dimension of ["key", "route", "meter"] as const) {
      const parts = evidence.parts.filter((part) => part.dimension === dimension);
      expect(parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
    }
    const tokens = evidence.parts.find(({ dimension }) => dimension === "meter");
    expect(tokens).toMatchObject({ value: "tokens" });
    expect(tokens?.share).toBeGreaterThan(0.95);
    // 8 times 600 tokens at a cent, and what the other key and the calls come to.
    expect(evidence.actual).toBeGreaterThan(evidence.high * 2);
    expect(evidence.actual).toBeLessThan(110);
    expect(found?.text).toMatch(
      /^Charges for usage rose to \d\d\.\d\d USD an hour \(usually \d\d\.\d\d USD to \d\d\.\d\d USD an hour\)\. (\d\d|100)% of the change comes from the key key_/,
    );

    const calm = await refreshInsights(deps, OPERATOR_CONTEXT, { tenantId: twin.tenantId });
    expect(calm.items).toEqual([]);
    // Only for those who may read invoices.
    const reader = contextOf({ type: "service_key", id: "svc_1", scopes: ["usage:read"] });
    expect((await listInsights(deps, reader, { tenantId, state: "all" })).items).toEqual([]);
    expect((await listAllInsights(deps, reader, { limit: 10 })).items).toEqual([]);
    expect((await listInsights(deps, context, { tenantId, state: "all" })).items).toHaveLength(1);
  });
});
