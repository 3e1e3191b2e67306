import type { Subscription, SubscriptionAction } from "@turnpike/contract/subscriptions";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getEntitlement } from "#modules/entitlements/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeDue } from "../closing/close-due.ts";
import { getUpcomingInvoice } from "../invoices/get-upcoming-invoice.ts";
import { advanceClock } from "../sandbox/advance-clock.ts";
import { act, openPricedBilling, recordUsage } from "../testing/billing.fixture.ts";
import { getSubscription } from "./get-subscription.ts";
import { listBillingEvents } from "./list-billing-events.ts";
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

const now = () => services.clock.now().getTime();
const inDays = (days: number) => new Date(now() + days * DAY_MS).toISOString();

async function schedule(tenantId: TenantId, startsAt: string): Promise<Subscription> {
  return await act(deps, { tenantId }, { do: "subscribe", planId: "metered", startsAt });
}

async function planOf(tenantId: TenantId) {
  const { planId, standing } = await getEntitlement(services, OPERATOR_CONTEXT, { tenantId });
  return { planId, standing };
}

async function listLines(tenantId: TenantId): Promise<string[]> {
  const rows = await database.sql<{ said: string }[]>`
    select l.kind || ' ' || trim_scale(l.quantity) || ' = ' || l.amount as said
    from invoice_lines l join invoices i using (invoice_id)
    where l.tenant_id = ${tenantId} order by i.closed_at, i.issued_at, i.series_number, l.line`;
  return rows.map(({ said }) => said);
}

/** Lets time pass, with what the job does every minute. */
async function pass(days: number): Promise<void> {
  services.clock.advance(days * DAY_MS);
  await closeDue(deps);
}

describe("a plan that is to begin later", () => {
  it("charges nothing and changes no limit until then, and bills from its start on", async () => {
    const { tenantId } = await createTestTenant(services, "Later");
    const before = await planOf(tenantId);
    const startsAt = inDays(10);
    const action: SubscriptionAction = { do: "subscribe", planId: "metered", startsAt };
    const quote = await quoteAction(deps, OPERATOR_CONTEXT, {
      ...{ tenantId, environment: "live", action },
    });
    expect(quote).toMatchObject({
      ...{ dueNow: "0.00", invoices: [], effectiveAt: startsAt, nextAt: startsAt },
      nextTotal: "31.00",
    });
    // Usage is counted by whole minutes, so it begins with one.
    const inMinute = startsAt.replace("00.000Z", "42.500Z");
    expect(await schedule(tenantId, inMinute)).toMatchObject({
      ...{ life: "scheduled", planId: "metered", startedAt: startsAt },
      ...{ periodFrom: null, periodTo: null },
      dates: [{ at: startsAt, kind: "begins" }],
    });
    expect(await planOf(tenantId)).toEqual(before);
    await recordUsage(services, { tenantId, at: new Date(now() + DAY_MS), quantity: 500 });
    await pass(9);
    expect(await planOf(tenantId)).toEqual(before);
    expect(await listLines(tenantId)).toEqual([]);

    services.clock.advance(DAY_MS + MINUTE_MS);
    await recordUsage(services, { tenantId, at: new Date(startsAt), quantity: 130 });
    await pass(0.1);
    expect(await planOf(tenantId)).toEqual({ planId: "metered", standing: "current" });
    const running = await getSubscription(deps, OPERATOR_CONTEXT, {
      ...{ tenantId, environment: "live" },
    });
    expect(running).toMatchObject({ life: "active", anchor: startsAt, periodFrom: startsAt });
    expect(await listLines(tenantId)).toEqual(["base 1 = 3100"]);
    await pass(31);
    const [base, ...renewal] = await listLines(tenantId);
    expect(base).toBe("base 1 = 3100");
    expect(renewal.filter((line) => line.startsWith("usage"))).toEqual([
      expect.stringMatching(/^usage 130 = /),
    ]);
  });

  it("is cancelled before its start for nothing, and chosen anew", async () => {
    const { tenantId } = await createTestTenant(services, "Cancelled");
    const before = await planOf(tenantId);
    await schedule(tenantId, inDays(10));
    const cancelled = await act(deps, { tenantId }, { do: "cancel", when: "now" });
    expect(cancelled).toMatchObject({ life: "ended", dates: [] });
    await pass(20);
    expect(await listLines(tenantId)).toEqual([]);
    expect(await planOf(tenantId)).toEqual(before);
    expect(await schedule(tenantId, inDays(2))).toMatchObject({ life: "scheduled" });
    await pass(3);
    expect(await listLines(tenantId)).toEqual(["base 1 = 3100"]);
  });

  it("follows a subscription that has ended, without the usage in between", async () => {
    const { tenantId } = await createTestTenant(services, "Back");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    await act(deps, { tenantId }, { do: "cancel", when: "now" });
    const startsAt = inDays(5);
    await schedule(tenantId, startsAt);
    await pass(1);
    await recordUsage(services, { tenantId, at: new Date(now()), quantity: 700 });
    await pass(5);
    await recordUsage(services, { tenantId, at: new Date(now()), quantity: 120 });
    await pass(31);
    const usage = (await listLines(tenantId)).filter((line) => line.startsWith("usage"));
    expect(usage).toEqual([expect.stringMatching(/^usage 120 = /)]);
  });

  it("begins in the sandbox when its clock gets there", async () => {
    const { tenantId } = await createTestTenant(services, "Sandbox");
    const sandbox = { tenantId, environment: "test" as const };
    const startsAt = inDays(10);
    await act(deps, sandbox, { do: "subscribe", planId: "metered", startsAt });
    const to = inDays(11);
    await advanceClock(deps, OPERATOR_CONTEXT, { tenantId, to });
    await recordUsage(services, { ...sandbox, at: services.clock.now(), quantity: 40 });
    expect(await getSubscription(deps, OPERATOR_CONTEXT, sandbox)).toMatchObject({
      ...{ life: "active", anchor: startsAt },
    });
    const { lines } = await getUpcomingInvoice(deps, OPERATOR_CONTEXT, sandbox);
    expect(lines).toContainEqual(expect.objectContaining({ kind: "usage", quantity: "40" }));
  });

  it("refuses a start in the past or in years, and other plans until it is cancelled", async () => {
    const { tenantId } = await createTestTenant(services, "Refused");
    for (const startsAt of [inDays(-1), inDays(400)]) {
      const refusal = await refusalOf(schedule(tenantId, startsAt));
      expect(refusal).toMatchObject({ code: "INVALID_REQUEST" });
    }
    await schedule(tenantId, inDays(3));
    for (const action of [
      { do: "subscribe", planId: "metered" },
      { do: "change", planId: "metered" },
      { do: "pause", when: "now" },
    ] as const) {
      expect(await refusalOf(act(deps, { tenantId }, action))).toMatchObject({ code: "CONFLICT" });
    }
  });

  it("says in the timeline when it was planned and when it began", async () => {
    const { tenantId } = await createTestTenant(services, "Timeline");
    const startsAt = inDays(4);
    await schedule(tenantId, startsAt);
    await pass(5);
    const { items } = await listBillingEvents(deps, OPERATOR_CONTEXT, {
      ...{ tenantId, environment: "live", limit: 20 },
    });
    const texts = items.map(({ text }) => text);
    expect(texts).toContain(`The plan Metered was chosen, to begin on ${startsAt.slice(0, 10)}.`);
    expect(texts).toContain("The start of Metered was planned.");
    expect(texts).toContain("Metered is active.");
  });
});
