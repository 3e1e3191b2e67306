import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createBelow } from "@turnpike/testkit/seeded-chance";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { contextOf, createTestTenant, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createKey } from "#modules/keys/index.ts";
import { bookOf, listInsightRows } from "../insights.store.ts";
import { refreshInsights, updateInsight } from "../manage-insights.ts";
import { type RecordedCalls, recordCalls } from "../testing/record-calls.fixture.ts";
import { openScanDeps } from "../testing/scan-deps.fixture.ts";
import { listFeedback, resetFeedback } from "./manage-feedback.ts";

const DAYS = 21;
const EVENT_HOURS = 5;
const ALIKE = { measure: "requests", dimension: "key" } as const;

let database: TestDatabase;
let deps: ReturnType<typeof openScanDeps>;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = openScanDeps(database);
});
afterAll(() => database.close());

async function makeKey(tenantId: TenantId): Promise<KeyId> {
  const input = { environment: "live" as const, name: "k", scopes: [], metadata: {} };
  return (await createKey(deps, OPERATOR_CONTEXT, { tenantId, ...input })).keyId;
}

/** Three weeks of calls by two keys; in the last hours the second has more than usual, but not by far. */
async function furnish(tenantId: TenantId): Promise<void> {
  const [steady, growing] = [await makeKey(tenantId), await makeKey(tenantId)];
  const below = createBelow(5);
  const calls: RecordedCalls[] = [];
  for (let hour = DAYS * 24; hour > 0; hour -= 1) {
    const rhythm = 300 + Math.round(120 * Math.sin((hour / 24) * 2 * Math.PI));
    calls.push({ hour, key: steady, route: "/cities", calls: rhythm + below(30) });
    const own = 40 + below(8) + (hour <= EVENT_HOURS ? 300 : 0);
    calls.push({ hour, key: growing, route: "/cities", calls: own });
  }
  await recordCalls(deps, tenantId, calls);
}

it("keeps anomalies like those of no use from opening, ends none, and is taken back by one click", async () => {
  const { tenantId, context } = await createTestTenant(deps, "Busy");
  const other = await createTestTenant(deps, "Busy");
  await furnish(tenantId);
  await furnish(other.tenantId);
  const scan = async (of: TenantId) =>
    (await refreshInsights(deps, OPERATOR_CONTEXT, { tenantId: of })).items;
  const [model, ...more] = await scan(other.tenantId);
  expect(more).toEqual([]);
  expect(model).toMatchObject({ evidence: { measure: "requests", cause: { dimension: "key" } } });
  const confidence = model?.confidence ?? expect.fail();
  expect(confidence).toBeGreaterThan(0.5);
  expect(confidence).toBeLessThan(0.9);

  // Four that were alike, long over.
  const [row] = await deps.transact.asTenant(other.tenantId, (tx) =>
    listInsightRows(tx, other.tenantId, { isOpen: true, limit: 1 }),
  );
  const { tenant_id: _, ...stored } = row ?? expect.fail();
  const now = deps.clock.now();
  for (const name of ["a", "b", "c", "d"]) {
    const insightId = deps.newId("insight");
    const earlier = { ...stored, insight_id: insightId, fingerprint: name, ended_at: now };
    await deps.transact.asTenant(tenantId, (tx) => bookOf(tenantId).save(tx, earlier));
    await updateInsight(deps, context, { tenantId, insightId, isUseful: false });
  }
  expect((await listFeedback(deps, context, { tenantId })).items).toMatchObject([
    { ...ALIKE, votes: 4, required: expect.closeTo(0.9, 9) },
  ]);
  expect(await scan(tenantId)).toEqual([]);

  // The other tenant has said nothing; what goes on there does not end when it says so.
  expect((await listFeedback(deps, other.context, { tenantId: other.tenantId })).items).toEqual([]);
  const { insightId } = model ?? expect.fail();
  await updateInsight(deps, other.context, { ...other, insightId, isUseful: false });
  const open = await deps.transact.asTenant(other.tenantId, async (tx) => {
    const rows = await listInsightRows(tx, other.tenantId, { isOpen: true, limit: 9 });
    return rows.map((each) => each.insight_id);
  });
  await scan(other.tenantId);
  const [kept] = await deps.transact.asTenant(other.tenantId, (tx) =>
    listInsightRows(tx, other.tenantId, { isOpen: false, limit: 9 }),
  );
  expect(open).toEqual([insightId]);
  expect(kept).toMatchObject({ insight_id: insightId, ended_at: null });

  const reader = contextOf({ type: "key", id: "key_1", tenantId, scopes: ["usage:read"] });
  const refused = await Promise.all(
    [
      resetFeedback(deps, reader, { tenantId, ...ALIKE }),
      listFeedback(deps, other.context, { tenantId }),
    ].map(refusalOf),
  );
  expect(refused.map(({ code }) => code)).toEqual(["INSUFFICIENT_SCOPE", "RESOURCE_NOT_FOUND"]);
  const unlike = { tenantId, measure: "errors", dimension: null } as const;
  expect((await resetFeedback(deps, context, unlike)).items).toHaveLength(1);
  expect((await resetFeedback(deps, context, { tenantId, ...ALIKE })).items).toEqual([]);
  expect(await scan(tenantId)).toHaveLength(1);
});
