import { catalogInput } from "@turnpike/contract/catalog";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCatalog } from "#modules/catalog/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { listBillingEvents } from "../subscriptions/list-billing-events.ts";
import { quoteAction } from "../subscriptions/quote-action.ts";
import { act, openPricedBilling, recordUsage } from "../testing/billing.fixture.ts";

/** A plan that one customer negotiated, which no list of plans shows to customers, and one that charges for much usage only. */
const PLANS = catalogInput.parse({
  meters: [],
  plans: [
    {
      planId: "acme-2026",
      name: "Acme’s own",
      currency: "USD",
      visibility: "private",
      phases: [
        {
          rateCards: [
            {
              key: "support-hours",
              price: { model: "per_unit", unitAmount: "10" },
              quantity: "1",
              interval: { month: 1 },
              timing: "advance",
            },
          ],
        },
      ],
    },
    {
      planId: "starter",
      name: "Starter",
      currency: "USD",
      phases: [
        {
          rateCards: [
            {
              key: "requests",
              meter: "requests",
              interval: { month: 1 },
              timing: "arrears",
              price: {
                model: "graduated",
                tiers: [
                  { upTo: "100", unitAmount: "0" },
                  { upTo: null, unitAmount: "0.01" },
                ],
              },
            },
          ],
        },
      ],
    },
  ],
});
const DAY_MS = 24 * 60 * 60_000;

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  ({ database, services, deps } = await openPricedBilling());
  await applyCatalog(services, OPERATOR_CONTEXT, PLANS);
});
afterAll(() => database.close());

async function listTexts(tenantId: Parameters<typeof act>[1]["tenantId"]): Promise<string[]> {
  const { items } = await listBillingEvents(deps, OPERATOR_CONTEXT, {
    ...{ tenantId, environment: "live", limit: 50 },
  });
  return items.map(({ text }) => text);
}

describe("what people read of a subscription", () => {
  it("names the private plan that it changes to", async () => {
    const { tenantId } = await createTestTenant(services, "Negotiates");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    const change = { do: "change", planId: "acme-2026", when: "period_end" } as const;
    const { pending } = await act(deps, { tenantId }, change);
    expect(pending.change).toMatchObject({ planId: "acme-2026", planName: "Acme’s own" });
  });

  it("calls a fee by its name, or by its key in words", async () => {
    const { tenantId } = await createTestTenant(services, "Counts");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    const base = { do: "seats", card: "base", quantity: "2" } as const;
    const quoted = { tenantId, environment: "live", action: base } as const;
    const { texts } = await quoteAction(deps, OPERATOR_CONTEXT, quoted);
    expect(texts[0]).toBe("Base fee is charged for 2 from now on.");
    await act(deps, { tenantId }, base);
    await act(deps, { tenantId }, { do: "change", planId: "acme-2026", when: "now" });
    await act(deps, { tenantId }, { do: "seats", card: "support-hours", quantity: "3" });
    expect(await listTexts(tenantId)).toEqual(
      expect.arrayContaining([
        "The quantity of Base fee was set to 2.",
        "The quantity of Support hours was set to 3.",
      ]),
    );
  });

  it("names the plan and the meter of usage that cost nothing", async () => {
    const { tenantId } = await createTestTenant(services, "Leaves");
    await act(deps, { tenantId }, { do: "subscribe", planId: "starter" });
    const at = services.clock.now();
    services.clock.advance(DAY_MS);
    await recordUsage(services, { tenantId, at, quantity: 50 });
    await act(deps, { tenantId }, { do: "cancel", when: "now" });
    const text = (await listTexts(tenantId)).find((one) => one.startsWith("Nothing was charged"));
    expect(text).toMatch(/^Nothing was charged for 50 of Requests \(Starter\) from /);
  });
});
