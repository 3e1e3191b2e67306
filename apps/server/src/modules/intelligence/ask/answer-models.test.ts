import { catalogInput } from "@turnpike/contract/catalog";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestTenant,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { act, TEST_BILLING } from "#modules/billing/testing/billing.fixture.ts";
import { applyCatalog } from "#modules/catalog/index.ts";
import { createKey } from "#modules/keys/index.ts";
import { createForecasterHere } from "../forecasts/forecaster.ts";
import { recordCalls } from "../testing/record-calls.fixture.ts";
import { askQuestion } from "./ask-question.ts";
import type { AskDeps } from "./asker.ts";
import { listChoices } from "./list-choices.ts";
import { createVocabularyCache } from "./named-vocabulary.ts";

const priced = (meter: string, unitAmount: string) => ({
  ...{ key: meter, meter, interval: { month: 1 }, timing: "arrears" },
  price: { model: "per_unit", unitAmount, included: "0" },
});
const CATALOG = catalogInput.parse({
  meters: [
    { meterId: "input-tokens", name: "Input tokens", unit: "token", aggregation: "count" },
    { meterId: "output-tokens", name: "Output tokens", unit: "token", aggregation: "count" },
  ],
  plans: [
    {
      ...{ planId: "metered", name: "Metered", currency: "USD" },
      phases: [{ rateCards: [priced("input-tokens", "0.001"), priced("output-tokens", "0.01")] }],
    },
  ],
});

let database: TestDatabase;
let deps: AskDeps & ReturnType<typeof createTestServices>;
let ours: TestTenant;
let theirs: TestTenant;

const ask = async (question: string, { context, tenantId }: TestTenant = ours) =>
  await askQuestion(deps, context, {
    ...{ tenantId, question, after: [], timeZone: "UTC", kind: "query" },
  });

/** Calls of two models: the one that is called more costs less. */
async function furnish(tenant: TestTenant, models: [string, string]): Promise<void> {
  const { tenantId } = tenant;
  await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
  deps.clock.advance(3 * 60 * 60_000);
  const { keyId: key } = await createKey(deps, OPERATOR_CONTEXT, {
    ...{ tenantId, environment: "live", scopes: [], metadata: {}, name: "web" },
  });
  const call = { hour: 1, key, route: "/v1/chat/completions" };
  const [large, small] = models;
  await recordCalls(deps, tenantId, [
    { ...call, model: large, calls: 10 },
    { ...call, model: small, calls: 90 },
    { ...call, route: "/v1/models", calls: 5 },
    { ...call, model: large, calls: 10, meter: "input-tokens", units: 2_000 },
    { ...call, model: large, calls: 10, meter: "output-tokens", units: 700 },
    { ...call, model: small, calls: 90, meter: "input-tokens", units: 1_000 },
    { ...call, model: small, calls: 90, meter: "output-tokens", units: 300 },
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
  await furnish(ours, ["gpt-4o", "gpt-4o-mini"]);
  await furnish(theirs, ["claude-sonnet-4-5", "claude-haiku-4-5"]);
});
afterAll(() => database.close());

it("answers tokens by model, of all meters of tokens, with what each of them is called", async () => {
  const { answer, sentence } = await ask("tokens by model this week");
  expect(answer?.rows.map(({ group, values }) => [group["model"], values])).toEqual([
    ["gpt-4o", { "input-tokens": "2000", "output-tokens": "700" }],
    ["gpt-4o-mini", { "input-tokens": "1000", "output-tokens": "300" }],
  ]);
  expect(sentence).toContain("3,000 input tokens and 1,000 output tokens");
});

it("answers which model costs the most, to the cent of the running invoice", async () => {
  const { kind, answer, sentence } = await ask("which model costs the most");
  expect(kind).toBe("query");
  expect(answer?.rows).toMatchObject([{ group: { model: "gpt-4o" }, values: { spend: "9.00" } }]);
  expect(answer?.totals).toEqual({ spend: "13.00" });
  expect(sentence).toContain("gpt-4o");
  expect((await ask("how much did gpt-4o-mini cost this month")).answer?.rows).toMatchObject([
    { values: { spend: "4.00" } },
  ]);
});

it("answers calls of a model by its name, and of calls without one that they have none", async () => {
  expect((await ask("calls of gpt-4o this week")).answer?.totals).toEqual({ requests: 10 });
  expect((await ask("requests by model this week")).answer?.rows).toMatchObject([
    { group: { model: "gpt-4o-mini" }, values: { requests: 90 } },
    { group: { model: "gpt-4o" }, values: { requests: 10 } },
    { group: { model: "" }, values: { requests: 5 } },
  ]);
});

it("names the models of the tenant that asks alone, and offers questions about them", async () => {
  const { tenantId, context } = ours;
  const choices = await listChoices(deps, context, { tenantId, timeZone: "UTC" });
  expect(choices.values["model"]).toEqual(["gpt-4o-mini", "gpt-4o"]);
  expect(choices.suggestions).toContain("which model costs the most this month");
  const foreign = await ask("requests of claude-sonnet-4-5 this week");
  expect(foreign.answer).toBeNull();
  expect(JSON.stringify(foreign.choices)).not.toContain("claude");
});
