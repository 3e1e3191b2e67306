import { catalogInput } from "@turnpike/contract/catalog";
import { fromScaled, toScaled } from "@turnpike/domain/money/decimal";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestTenant,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { closeDue } from "#modules/billing/closing/close-due.ts";
import { getUpcomingInvoice, grantCredit } from "#modules/billing/index.ts";
import { act, TEST_BILLING } from "#modules/billing/testing/billing.fixture.ts";
import { applyCatalog } from "#modules/catalog/index.ts";
import { createKey, listKeys } from "#modules/keys/index.ts";
import { createForecasterHere } from "../forecasts/forecaster.ts";
import { recordCalls } from "../testing/record-calls.fixture.ts";
import { askQuestion } from "./ask-question.ts";
import type { AskDeps } from "./asker.ts";
import { createVocabularyCache } from "./named-vocabulary.ts";
import type { QueryFilter } from "./plan-runs.ts";

const phases = [
  {
    rateCards: [
      {
        key: "requests",
        meter: "requests",
        interval: { month: 1 },
        timing: "arrears",
        price: { model: "per_unit", unitAmount: "0.01", included: "0" },
      },
    ],
  },
];
const CATALOG = catalogInput.parse({
  meters: [],
  plans: [
    { planId: "metered", name: "Metered", currency: "USD", phases },
    { planId: "prepaid", name: "Prepaid", currency: "USD", isPrepaid: true, phases },
  ],
});

const DAY_MS = 24 * 60 * 60_000;

let database: TestDatabase;
let deps: AskDeps & ReturnType<typeof createTestServices>;
let ours: TestTenant;
let theirs: TestTenant;

const ask = async (question: string, { context, tenantId }: TestTenant = ours) =>
  await askQuestion(deps, context, {
    tenantId,
    question,
    after: [],
    timeZone: "UTC",
    kind: "query",
  });

async function askSpend(filters: QueryFilter[], [from, to]: [string, string]) {
  const { answer } = await askQuestion(deps, ours.context, {
    ...{ tenantId: ours.tenantId, question: "", after: [], timeZone: "UTC", kind: "query" },
    query: { measures: ["spend"], dimensions: ["key"], filters, from, to },
  });
  const amounts = answer?.rows.map(({ group, values }) => [
    answer.names[group["key"] ?? ""],
    values["spend"],
  ]);
  return Object.fromEntries(amounts ?? []) as unknown;
}

async function furnish(tenant: TestTenant, factor: number): Promise<void> {
  const { tenantId } = tenant;
  await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
  deps.clock.advance(3 * 60 * 60_000);
  const input = { tenantId, environment: "live" as const, scopes: [], metadata: {} };
  const web = await createKey(deps, OPERATOR_CONTEXT, { ...input, name: "web" });
  const batch = await createKey(deps, OPERATOR_CONTEXT, { ...input, name: "batch" });
  await recordCalls(deps, tenantId, [
    { hour: 1, key: web.keyId, route: "/v1/search", calls: 333 * factor },
    { hour: 1, key: batch.keyId, route: "/v1/search", calls: 101 * factor },
    { hour: 1, key: batch.keyId, route: "/v1/export", calls: 1_000 * factor },
  ]);
}

beforeAll(async () => {
  database = await createTestDatabase();
  deps = {
    ...createTestServices(database),
    billing: TEST_BILLING,
    forecaster: createForecasterHere(),
    vocabularies: createVocabularyCache(),
  };
  ours = await createTestTenant(deps, "Acme");
  theirs = await createTestTenant(deps, "Acme Labs");
  await applyCatalog(deps, OPERATOR_CONTEXT, CATALOG);
  await furnish(ours, 1);
  await furnish(theirs, 7);
});
afterAll(() => database.close());

it("answers what keys and routes cost to the cent of the running invoice, and nothing of a look-alike tenant", async () => {
  const { lines } = await getUpcomingInvoice(deps, ours.context, {
    tenantId: ours.tenantId,
    environment: "live",
  });
  const usage = lines.filter(({ hasUsage }) => hasUsage);
  const billed = usage.reduce((sum, { amount }) => sum + toScaled(amount), 0n);
  expect(fromScaled(billed)).toBe("14.34");

  const byKey = await ask("spend by key in this billing period");
  const amounts = byKey.answer?.rows.map(({ group, values }) => [
    byKey.answer?.names[group["key"] ?? ""],
    values["spend"],
  ]);
  expect(amounts).toEqual([
    ["batch", "11.01"],
    ["web", "3.33"],
  ]);
  expect(byKey.answer?.totals).toEqual({ spend: "14.34" });
  const byRoute = await ask("which route cost the most this month");
  expect(byRoute.answer?.rows).toMatchObject([
    { group: { route: "/v1/export" }, values: { spend: "10.00" } },
  ]);
  const ofOne = await ask("how much did the web key cost this month");
  expect(ofOne).toMatchObject({
    answer: { rows: [{ values: { spend: "3.33" } }] },
    sentence: expect.stringContaining("3.33 USD"),
  });
  expect(await ask("spend by key per day this month")).toMatchObject({ kind: "refuse" });
});

it("answers what credit is left and which expires next", async () => {
  expect((await ask("how much credit is left")).sentence).toBe("There is no credit left.");
  const { tenantId } = ours;
  const grant = { tenantId, environment: "live" as const, priority: 50, reason: "welcome" };
  await grantCredit(deps, OPERATOR_CONTEXT, {
    ...grant,
    kind: "promotional",
    amount: "20",
    expiresAt: new Date(deps.clock.now().getTime() + 30 * 24 * 60 * 60_000).toISOString(),
  });
  await grantCredit(deps, OPERATOR_CONTEXT, { ...grant, kind: "prepaid", amount: "100" });
  const left = await ask("which credit expires next?");
  expect(left.kind).toBe("quota");
  expect(left.sentence).toContain("120.00 USD of credit can be used now");
  expect(left.sentence).toContain("20.00 USD expires next, on ");
  expect(left.answer?.rows.map(({ values }) => values["left"])).toEqual(["20.00", "100.00"]);
  expect((await ask("how much credit is left", theirs)).answer).toBeNull();
});

it("keeps the keys that an amount is asked for, and counts every invoice of a range that goes on", async () => {
  const year: [string, string] = ["2026-01-01", "2027-01-01"];
  expect(await askSpend([{ field: "spend", op: "gt", value: 5 }], year)).toEqual({
    batch: "11.01",
  });
  deps.clock.advance(32 * DAY_MS);
  await closeDue(deps);
  deps.clock.advance(2 * 60 * 60_000);
  const { items } = await listKeys(deps, OPERATOR_CONTEXT, { tenantId: ours.tenantId, limit: 5 });
  const key = items.find(({ name }) => name === "web")?.keyId ?? expect.fail("no key");
  await recordCalls(deps, ours.tenantId, [{ hour: 1, key, route: "/v1/search", calls: 100 }]);
  expect(await askSpend([], year)).toEqual({ batch: "11.01", web: "4.33" });
  // The invoice of February charges for January.
  expect(await askSpend([], ["2026-02-01", "2026-03-01"])).toEqual({ web: "1.00" });
});

it("says what usage of a prepaid plan leaves of credit", async () => {
  const prepaid = await createTestTenant(deps, "Prepaid");
  const { tenantId } = prepaid;
  await act(deps, { tenantId }, { do: "subscribe", planId: "prepaid" });
  await grantCredit(deps, OPERATOR_CONTEXT, {
    ...{ tenantId, environment: "live", kind: "prepaid", amount: "20", priority: 50, reason: "" },
  });
  const { keyId: key } = await createKey(deps, OPERATOR_CONTEXT, {
    ...{ tenantId, environment: "live", name: "web", scopes: [], metadata: {} },
  });
  deps.clock.advance(2 * 60 * 60_000);
  await recordCalls(deps, tenantId, [{ hour: 1, key, route: "/v1/search", calls: 500 }]);
  expect((await ask("how much credit is left", prepaid)).sentence).toContain(
    "15.00 USD of credit is left: usage that is not invoiced yet has drawn 5.00 USD of 20.00 USD prepaid.",
  );
});
