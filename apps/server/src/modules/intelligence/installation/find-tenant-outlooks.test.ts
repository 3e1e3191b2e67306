import type { TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { contextOf, createTestTenant, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertKept } from "../forecasts/kept-forecasts.store.ts";
import { recordCalls } from "../testing/record-calls.fixture.ts";
import { openScanDeps } from "../testing/scan-deps.fixture.ts";
import {
  listInstallationInsights,
  refreshInstallationInsights,
} from "./manage-installation-insights.ts";

const WEEK_HOURS = 7 * 24;
const DAY_MS = 24 * 60 * 60_000;

let database: TestDatabase;
let deps: ReturnType<typeof openScanDeps>;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = openScanDeps(database);
});
afterAll(() => database.close());

/** @param weeks - Calls of each week, the newest first. */
async function makeTenant(name: string, weeks: readonly number[]): Promise<TenantId> {
  const { tenantId } = await createTestTenant(deps, name);
  await recordCalls(
    deps,
    tenantId,
    weeks.map((calls, week) => ({
      ...{ hour: week * WEEK_HOURS + 30, key: deps.newId("key"), route: "/cities", calls },
    })),
  );
  return tenantId;
}

it("names tenants that are likely to leave, and those that outgrow their quota, with the reasons", async () => {
  const silent = await makeTenant("Silent", [0, 2100, 2000, 2500, 2200]);
  const fewer = await makeTenant("Fewer", [900, 2100, 2000, 2500, 2200]);
  const owing = await makeTenant("Owing", [1400, 2100, 2000, 2500, 2200]);
  const steady = await makeTenant("Steady", [1400, 2100, 2000, 2500, 2200]);
  const growing = await makeTenant("Growing", [2400, 2100, 2000, 2500, 2200]);
  const now = deps.clock.now();
  await database.sql`
    insert into insights (tenant_id, insight_id, fingerprint, kind, facts, since, seen_at)
    values (${owing}, 'ins_1', 'payment_failed x', 'payment_failed', '{}', ${now}, ${now})`;
  const keep = (tenantId: TenantId, lower80: string) =>
    deps.transact.asTenant(tenantId, (tx) =>
      insertKept(tx, tenantId, [
        {
          ...{ measure: "meter:requests", madeOn: now.toISOString().slice(0, 10), currency: null },
          periodFrom: new Date(now.getTime() - DAY_MS),
          periodTo: new Date(now.getTime() + DAY_MS),
          ...{ mean: "70000", lower80, upper80: "90000", actual: null },
        },
      ]),
    );
  await keep(growing, "60000.5");
  // The quota of the plan is 50,000: this one may keep to it.
  await keep(steady, "50000");

  const { items } = await refreshInstallationInsights(deps, OPERATOR_CONTEXT);
  const until = new Date(now.getTime() + DAY_MS).toISOString().slice(0, 10);
  const told = items.filter(({ kind }) => kind !== "anomaly");
  expect(told.map(({ kind, text, action }) => [kind, text, action]).sort()).toEqual(
    [
      [
        "tenant_leaving",
        `The tenant ${silent} may leave: it has made no call for a week, after at least 2,000 a week in the four before.`,
        { do: "open_tenant", tenantId: silent },
      ],
      [
        "tenant_leaving",
        `The tenant ${fewer} may leave: it made 900 calls in a week, 55% less than in the weakest of the four before.`,
        { do: "open_tenant", tenantId: fewer },
      ],
      [
        "tenant_leaving",
        `The tenant ${owing} may leave: it made 1,400 calls in a week, 30% less than in the weakest of the four before, and a payment has failed.`,
        { do: "open_tenant", tenantId: owing },
      ],
      [
        "tenant_outgrowing",
        `The tenant ${growing} outgrows its plan: by ${until} it is forecast to use at least 60,001 of requests, and its quota is 50,000.`,
        { do: "open_tenant", tenantId: growing },
      ],
    ].sort(),
  );
  expect(told.find(({ text }) => text.includes(silent))?.confidence).toBe(1);

  // Unpaid invoices are for those who may read them.
  const reader = contextOf({ type: "service_key", id: "svc_1", scopes: ["usage:read"] });
  const seen = await listInstallationInsights(deps, reader, { state: "all" });
  expect(seen.items.map(({ kind }) => kind)).not.toContain("tenant_leaving");
});
