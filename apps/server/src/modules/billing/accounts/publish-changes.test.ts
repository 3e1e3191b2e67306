import { WEBHOOK_EVENTS, type WebhookEventType } from "@turnpike/contract/webhooks";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BillingDeps } from "../billing-deps.ts";
import { createCreditNote } from "../invoices/create-credit-note.ts";
import { listInvoices } from "../invoices/list-invoices.ts";
import { recordPayment } from "../invoices/record-payment.ts";
import { voidInvoice } from "../invoices/void-invoice.ts";
import { act, openPricedBilling } from "../testing/billing.fixture.ts";

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  ({ database, services, deps } = await openPricedBilling());
});
afterAll(() => database.close());

/** What was published of billing since the last call, each in its documented shape. */
async function takeEvents(tenantId: TenantId) {
  const rows = await database.sql<{ payload: string }[]>`
    with taken as (delete from webhook_outbox where tenant_id = ${tenantId} returning message_id, payload)
    select payload from taken order by message_id`;
  return rows
    .map(({ payload }) => JSON.parse(payload) as { type: WebhookEventType; data: unknown })
    .filter(({ type }) => /^(subscription|invoice|credit_note)\./.test(type))
    .map(({ type, data }) => ({ type, data: WEBHOOK_EVENTS[type].parse(data) }));
}

async function subscribe(name: string): Promise<{ tenantId: TenantId; invoiceId: string }> {
  const { tenantId } = await createTestTenant(services, name);
  await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
  const { items } = await listInvoices(deps, OPERATOR_CONTEXT, {
    tenantId,
    environment: "live",
    limit: 1,
  });
  return { tenantId, invoiceId: items[0]?.invoiceId ?? expect.fail("no invoice") };
}

describe("a change of an account", () => {
  it("publishes the subscription, its invoice, and once nothing is due any more, that", async () => {
    const { tenantId, invoiceId } = await subscribe("Publishes");
    expect(await takeEvents(tenantId)).toMatchObject([
      {
        type: "subscription.changed",
        data: { subscription: { tenantId, life: "active", planId: "metered" } },
      },
      { type: "invoice.issued", data: { invoice: { invoiceId, state: "open", total: "31.00" } } },
    ]);
    const pay = (amount: string, reference: string) =>
      recordPayment(deps, OPERATOR_CONTEXT, { invoiceId, amount, reference });
    await pay("30", "part");
    expect(await takeEvents(tenantId)).toEqual([]);
    await pay("1", "rest");
    expect(await takeEvents(tenantId)).toMatchObject([
      { type: "invoice.paid", data: { invoice: { invoiceId, state: "paid", due: "0.00" } } },
    ]);
    await pay("5", "beyond");
    expect(await takeEvents(tenantId)).toEqual([]);
  });

  it("publishes credit notes with their lines, and voided invoices", async () => {
    const { tenantId, invoiceId } = await subscribe("Credits");
    const credited = await createCreditNote(deps, OPERATOR_CONTEXT, {
      invoiceId,
      reason: "Outage.",
      amount: "1",
    });
    const { invoiceId: other, tenantId: voider } = await subscribe("Voids");
    await voidInvoice(deps, OPERATOR_CONTEXT, { invoiceId: other, reason: "Wrong." });
    expect((await takeEvents(tenantId)).at(-1)).toMatchObject({
      type: "credit_note.issued",
      data: { tenantId, environment: "live", creditNote: credited },
    });
    expect((await takeEvents(voider)).at(-1)).toMatchObject({
      type: "invoice.voided",
      data: { invoice: { invoiceId: other, state: "void" } },
    });
  });

  it("publishes nothing when it is refused", async () => {
    const { tenantId, invoiceId } = await subscribe("Refused");
    await takeEvents(tenantId);
    await refusalOf(
      createCreditNote(deps, OPERATOR_CONTEXT, { invoiceId, reason: "Outage.", amount: "32" }),
    );
    expect(await takeEvents(tenantId)).toEqual([]);
  });
});
