import { catalogInput } from "@turnpike/contract/catalog";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { closeAccounts, getCredits, listInvoices } from "#modules/billing/index.ts";
import { applyCatalog } from "#modules/catalog/index.ts";
import { act, recordUsage, TEST_BILLING } from "../../modules/billing/testing/billing.fixture.ts";
import { prepaidCredit } from "./credit-steps.ts";
import { toDemoSettings } from "./demo-seller.ts";
import { DAY_MS, HOUR_MS } from "./demo-usage.ts";

const CATALOG = catalogInput.parse({
  meters: [],
  plans: [
    {
      planId: "drawing",
      name: "Drawing",
      currency: "USD",
      isPrepaid: true,
      phases: [
        {
          rateCards: [
            {
              ...{ key: "requests", meter: "requests", interval: { month: 1 }, timing: "arrears" },
              price: { model: "per_unit", unitAmount: "0.002" },
            },
          ],
        },
      ],
    },
  ],
});

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it("a demo tenant on a prepaid plan buys what it uses, owes nothing, and has little left", async () => {
  const services = createTestServices(database);
  const { tenantId } = await createTestTenant(services);
  await applyCatalog(services, OPERATOR_CONTEXT, CATALOG);
  const key = { tenantId, environment: "live" as const };
  const untilMs = services.clock.now().getTime();
  const startMs = untilMs - 40 * DAY_MS;
  const billing = toDemoSettings(TEST_BILLING);
  const depsAt = (ms: number) => ({
    ...services,
    billing,
    clock: { ...services.clock, now: () => new Date(ms) },
  });
  await act(depsAt(startMs), key, { do: "subscribe", planId: "drawing" });
  const steps = prepaidCredit({ startMs, untilMs, planId: "drawing" });
  let usedMs = startMs;
  for (const { atMs, run } of steps) {
    // 432 calls a day.
    for (; usedMs + HOUR_MS * 4 < atMs; usedMs += HOUR_MS * 4) {
      await recordUsage(depsAt(usedMs), { tenantId, at: new Date(usedMs + HOUR_MS), quantity: 72 });
    }
    await run(depsAt(atMs), OPERATOR_CONTEXT, key);
  }
  await closeAccounts(depsAt(untilMs), [key], new Date(untilMs));
  const { draw, automatic } = await getCredits(depsAt(untilMs), OPERATOR_CONTEXT, key);
  expect(draw?.isEmpty).toBe(false);
  expect(Number(draw?.left)).toBeLessThan(13);
  expect(automatic).toMatchObject({ amount: "20.00" });
  const { items } = await listInvoices(depsAt(untilMs), OPERATOR_CONTEXT, { ...key, limit: 50 });
  expect(items.length).toBeGreaterThan(3);
  expect(items.every(({ state }) => state === "paid")).toBe(true);
});
