import type { TenantId } from "@turnpike/domain/ids/ids";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BillingDeps } from "../billing-deps.ts";
import { reconcileInvoices } from "../invoices/reconcile-invoices.ts";
import { recordPayment } from "../invoices/record-payment.ts";
import { act, publishPricedPlans, toBillingDeps } from "../testing/billing.fixture.ts";
import { countPoints, Interrupted } from "../testing/interrupt.fixture.ts";
import { buyCredit } from "./buy-credit.ts";
import { grantCredit } from "./grant-credit.ts";

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  const plain = toBillingDeps(services);
  const offers = [{ currency: "USD", amounts: ["50.00"], min: "1.00", max: "500.00" }];
  deps = { ...plain, billing: { ...plain.billing, topUps: { isTaxed: false, offers } } };
  await createTestTenant(services);
  await publishPricedPlans(services);
});
afterAll(() => database.close());

async function createSubscriber(name: string): Promise<TenantId> {
  const { tenantId } = await createTestTenant(services, name);
  await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
  return tenantId;
}

async function readLedger(tenantId: TenantId): Promise<string[]> {
  const rows = await database.sql<{ entry: string }[]>`
    select concat_ws(' ', g.kind, e.kind, e.amount) as entry
    from credit_entries e join credit_grants g using (tenant_id, environment, place)
    where e.tenant_id = ${tenantId} order by e.entry_id`;
  return rows.map(({ entry }) => entry);
}

/** Every point in the long run, every third one otherwise. */
const STEP = IS_SOAK ? 1 : 3;

/** Ends an attempt at one point after the other, then lets it pass. */
async function interrupt(attempt: (deps: BillingDeps) => Promise<unknown>): Promise<number> {
  for (let killAt = 1; ; killAt += STEP) {
    const { transact } = countPoints(database.sql, (count) => {
      if (count === killAt) {
        throw new Interrupted();
      }
    });
    try {
      await attempt({ ...deps, transact });
      return killAt;
    } catch (error) {
      expect(error).toBeInstanceOf(Interrupted);
    }
  }
}

const EIGHT = Array.from({ length: 8 });

describe("guarantee: credit is there once", () => {
  it("however often it is granted, bought and paid, interrupted anywhere and eight times at once", async () => {
    const tenantId = await createSubscriber("Interrupted");
    const key = { tenantId, environment: "live" as const };
    const grant = (by: BillingDeps) =>
      grantCredit(by, OPERATOR_CONTEXT, {
        ...{ ...key, kind: "promotional", amount: "10", priority: 50 },
        ...{ reason: "Welcome.", reference: "ticket 7" },
      });
    expect(await interrupt(grant)).toBeGreaterThan(10);
    await Promise.all(EIGHT.map(() => grant(deps)));
    const buy = (by: BillingDeps) => buyCredit(by, OPERATOR_CONTEXT, { ...key, amount: "50" });
    await interrupt(buy);
    const bought = await Promise.all(EIGHT.map(() => buy(deps)));
    const [invoiceId] = new Set(bought.map((invoice) => invoice.invoiceId));
    const pay = (by: BillingDeps) =>
      recordPayment(by, OPERATOR_CONTEXT, {
        ...{ invoiceId: invoiceId ?? "", amount: "50.00", reference: "Transfer 7" },
      });
    await interrupt(pay);
    await Promise.all(EIGHT.map(() => pay(deps)));
    expect(await readLedger(tenantId)).toEqual([
      "promotional granted 1000",
      "prepaid granted 5000",
    ]);
    expect((await reconcileInvoices(services, OPERATOR_CONTEXT)).findings).toEqual([]);
  });
});
