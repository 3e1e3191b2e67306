import { refusalOf } from "@turnpike/testkit/refusal-of";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCoupon } from "#modules/catalog/coupons/manage-coupons.ts";
import { getEntitlement } from "#modules/entitlements/index.ts";
import { createTenant, updateTenant } from "#modules/tenants/index.ts";
import { createBilledPlans } from "../billed-plans.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeDue } from "../closing/close-due.ts";
import { getUpcomingInvoice } from "../invoices/get-upcoming-invoice.ts";
import { act, openPricedBilling, recordUsage } from "../testing/billing.fixture.ts";
import { confirmAction } from "./confirm-action.ts";
import { getSubscription } from "./get-subscription.ts";
import { quoteAction } from "./quote-action.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  ({ database, services, deps } = await openPricedBilling());
});
afterAll(() => database.close());

async function listInvoiceRows(tenantId: string) {
  return await database.sql<{ number: string; total: string; state: string; kinds: string[] }[]>`
    select i.number, i.total::text as total, i.state, array_agg(l.kind || ' ' || l.amount order by l.line) as kinds
    from invoices i join invoice_lines l using (invoice_id)
    where i.tenant_id = ${tenantId}
    group by i.tenant_id, i.invoice_id order by i.series_number`;
}

describe("a subscription", () => {
  it("begins with an invoice of what was quoted, and entitles at once", async () => {
    const { tenantId } = await createTestTenant(services, "One");
    const input = {
      tenantId,
      environment: "live" as const,
      action: { do: "subscribe" as const, planId: "metered" },
    };
    const quote = await quoteAction(deps, OPERATOR_CONTEXT, input);
    expect(quote).toMatchObject({ dueNow: "31.00", currency: "USD", nextTotal: "31.00" });
    expect(quote.invoices[0]?.lines).toMatchObject([
      { kind: "base", description: "Metered: Base fee", amount: "31.00" },
    ]);
    expect(await listInvoiceRows(tenantId)).toEqual([]);
    const { at, hash } = quote;
    const confirmed = await confirmAction(deps, OPERATOR_CONTEXT, { ...input, at, hash });
    expect(confirmed).toMatchObject({ life: "active", planId: "metered", currency: "USD" });
    const again = await confirmAction(deps, OPERATOR_CONTEXT, { ...input, at, hash });
    expect(again).toEqual(confirmed);
    const rows = await listInvoiceRows(tenantId);
    expect(rows).toMatchObject([{ total: "3100", state: "open", kinds: ["base 3100"] }]);
    const entitlement = await getEntitlement(services, OPERATOR_CONTEXT, { tenantId });
    expect(entitlement).toMatchObject({ planId: "metered", standing: "current" });
  });

  it("bills the usage of a period once when it closes, however often the job runs", async () => {
    const { tenantId } = await createTestTenant(services, "Two");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    const startMs = Math.floor(services.clock.now().getTime() / MINUTE_MS) * MINUTE_MS;
    await recordUsage(services, { tenantId, at: new Date(startMs + DAY_MS), quantity: 250 });
    const upcoming = await getUpcomingInvoice(deps, OPERATOR_CONTEXT, {
      tenantId,
      environment: "live",
    });
    expect(upcoming.lines).toMatchObject([
      { kind: "base", amount: "31.00" },
      { kind: "usage", quantity: "250", amount: "1.50" },
    ]);
    services.clock.advance(32 * DAY_MS);
    await Promise.all([closeDue(deps), closeDue(deps), closeDue(deps)]);
    await closeDue(deps);
    expect(await listInvoiceRows(tenantId)).toMatchObject([
      { kinds: ["base 3100"] },
      { kinds: ["base 3100", "usage 150"], total: "3250" },
    ]);
    // Late usage is billed with the next close, as the difference that it makes.
    await recordUsage(services, { tenantId, at: new Date(startMs + 2 * DAY_MS), quantity: 7 });
    services.clock.advance(31 * DAY_MS);
    await closeDue(deps);
    expect((await listInvoiceRows(tenantId)).at(-1)).toMatchObject({
      kinds: ["base 3100", "late 7"],
    });
  });

  it("changes now with a credit, and from A to B to A at one instant for nothing", async () => {
    const { tenantId } = await createTestTenant(services, "Three");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    await act(deps, { tenantId }, { do: "change", planId: "pro", when: "now" });
    await act(deps, { tenantId }, { do: "change", planId: "metered", when: "now" });
    const [sum] = await database.sql<[{ due: string }]>`
      select sum(total - credited)::text as due from invoices where tenant_id = ${tenantId}`;
    expect(sum.due).toBe("3100");
    const { planId } = await getSubscription(deps, OPERATOR_CONTEXT, {
      tenantId,
      environment: "live",
    });
    expect(planId).toBe("metered");
  });

  it("is not changed when the sum has moved since the quote: the answer is a new quote", async () => {
    const { tenantId } = await createTestTenant(services, "Four");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    services.clock.advance(DAY_MS);
    const input = {
      tenantId,
      environment: "live" as const,
      action: { do: "change" as const, planId: "pro", when: "now" as const },
    };
    const quote = await quoteAction(deps, OPERATOR_CONTEXT, input);
    const before = new Date(Date.parse(quote.at) - 5 * MINUTE_MS);
    await recordUsage(services, { tenantId, at: before, quantity: 5_000 });
    const { at, hash } = quote;
    const refusal = await refusalOf(confirmAction(deps, OPERATOR_CONTEXT, { ...input, at, hash }));
    expect(refusal.code).toBe("QUOTE_CHANGED");
    const moved = refusal.extensions["quote"] as typeof quote;
    expect(moved.hash).not.toBe(hash);
    const done = await confirmAction(deps, OPERATOR_CONTEXT, {
      ...input,
      at: moved.at,
      hash: moved.hash,
    });
    expect(done.planId).toBe("pro");
    expect((await listInvoiceRows(tenantId)).at(-1)?.kinds).toContain("usage 4900");
  });

  it("in a trial charges nothing until it ends, and is cancelled and taken up again before", async () => {
    const { tenantId } = await createTestTenant(services, "Five");
    const trial = await act(deps, { tenantId }, { do: "subscribe", planId: "trial" });
    expect(trial).toMatchObject({ life: "trialing", dates: [{ kind: "trialEnds" }] });
    expect(await listInvoiceRows(tenantId)).toEqual([]);
    const cancelled = await act(deps, { tenantId }, { do: "cancel", when: "period_end" });
    expect(cancelled.pending.endsAt).toBe(trial.trialEndsAt);
    await act(deps, { tenantId }, { do: "uncancel" });
    services.clock.advance(15 * DAY_MS);
    await closeDue(deps);
    expect(await listInvoiceRows(tenantId)).toMatchObject([{ total: "2000" }]);
    const subscription = await getSubscription(deps, OPERATOR_CONTEXT, {
      tenantId,
      environment: "live",
    });
    expect(subscription.life).toBe("active");
  });

  it("redeems a coupon as often as it may be redeemed, and once for each tenant", async () => {
    const coupon = { couponId: "half", name: "Half", percent: "50", periods: 1, maxRedemptions: 1 };
    await createCoupon(services, OPERATOR_CONTEXT, coupon);
    const first = await createTestTenant(services, "Six");
    const second = await createTestTenant(services, "Seven");
    for (const { tenantId } of [first, second]) {
      await act(deps, { tenantId }, { do: "subscribe", planId: "trial" });
    }
    await act(deps, first, { do: "coupon", couponId: "half" });
    const again = await refusalOf(act(deps, first, { do: "coupon", couponId: "half" }));
    expect(again.message).toBe("This coupon is redeemed already.");
    const late = await refusalOf(act(deps, second, { do: "coupon", couponId: "half" }));
    expect(late.code).toBe("CONFLICT");
    services.clock.advance(15 * DAY_MS);
    await closeDue(deps);
    expect(await listInvoiceRows(first.tenantId)).toMatchObject([
      { kinds: ["base 2000", "discount -1000"], total: "1000" },
    ]);
    expect(await listInvoiceRows(second.tenantId)).toMatchObject([{ kinds: ["base 2000"] }]);
  });

  it("follows when the operator gives a tenant another plan, or one to begin with", async () => {
    const plans = createBilledPlans(deps);
    const { tenantId } = await createTenant({ ...services, plans }, OPERATOR_CONTEXT, {
      name: "Eight",
      planId: "metered",
    });
    expect(await listInvoiceRows(tenantId)).toMatchObject([{ kinds: ["base 3100"] }]);
    await updateTenant({ ...services, plans }, OPERATOR_CONTEXT, { tenantId, planId: "free" });
    const subscription = await getSubscription(deps, OPERATOR_CONTEXT, {
      tenantId,
      environment: "live",
    });
    expect(subscription).toMatchObject({ planId: "free", balance: "0.00" });
    const [invoice] = await listInvoiceRows(tenantId);
    expect(invoice?.state).toBe("paid");
  });

  it("that has ended is billed for usage that reaches the ledger afterwards, once", async () => {
    const { tenantId } = await createTestTenant(services, "Nine");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    const at = new Date(services.clock.now().getTime() + MINUTE_MS);
    services.clock.advance(DAY_MS);
    await act(deps, { tenantId }, { do: "cancel", when: "now" });
    await recordUsage(services, { tenantId, at, quantity: 600 });
    await recordUsage(services, { tenantId, at, quantity: 100 });
    for (let looks = 0; looks < 3; looks += 1) {
      services.clock.advance(10 * MINUTE_MS);
      await closeDue(deps);
    }
    expect((await listInvoiceRows(tenantId)).slice(1)).toMatchObject([{ kinds: ["late 600"] }]);
  });
});
