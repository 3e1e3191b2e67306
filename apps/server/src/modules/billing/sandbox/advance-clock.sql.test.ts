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
import { getSubscription } from "../subscriptions/get-subscription.ts";
import { act, openPricedBilling, recordUsage } from "../testing/billing.fixture.ts";
import { advanceClock } from "./advance-clock.ts";
import { getClock } from "./get-clock.ts";

const DAY_MS = 24 * 60 * 60_000;
const START_MS = Date.parse("2026-01-15T10:00:00.000Z");

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  ({ database, services, deps } = await openPricedBilling());
});
afterAll(() => database.close());

async function listInvoiceRows(tenantId: string) {
  return await database.sql<{ number: string; issued: string; due: string; lines: string[] }[]>`
    select i.number, to_char(i.issued_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as issued,
      to_char(i.due_at at time zone 'UTC', 'YYYY-MM-DD') as due,
      array_agg(l.kind || ' ' || coalesce(trim_scale(l.quantity)::text, '-') || ' ' || l.amount order by l.line) as lines
    from invoices i join invoice_lines l using (invoice_id)
    where i.tenant_id = ${tenantId}
    group by i.tenant_id, i.invoice_id order by i.issued_at, i.series_number`;
}

const sandbox = (tenantId: TenantId) => ({ tenantId, environment: "test" as const });

async function advanceTo(tenantId: TenantId, ms: number) {
  return await advanceClock(deps, OPERATOR_CONTEXT, { tenantId, to: new Date(ms).toISOString() });
}

async function readClockMs(tenantId: TenantId): Promise<number> {
  return Date.parse((await getClock(deps, OPERATOR_CONTEXT, { tenantId })).now);
}

/** Adds usage of the sandbox that happens now. */
async function use(tenantId: TenantId, quantity: number): Promise<void> {
  const at = services.clock.now();
  await recordUsage(services, { tenantId, environment: "test", at, quantity });
}

describe("the clock of a sandbox", () => {
  it("lets trials end and periods close on the way, with documents of the days on which they fall", async () => {
    const { tenantId } = await createTestTenant(services, "Trial");
    await act(deps, sandbox(tenantId), { do: "subscribe", planId: "trial" });
    const clock = await advanceTo(tenantId, START_MS + 400 * DAY_MS);
    expect(clock).toMatchObject({ aheadMs: 400 * DAY_MS, now: "2027-02-19T10:00:00.000Z" });
    const kinds = clock.events.map(({ kind }) => kind);
    expect(kinds.slice(0, 1)).toEqual(["clock.advanced"]);
    expect(kinds.filter((kind) => kind === "invoice.issued")).toHaveLength(13);
    expect(kinds).toContain("subscription.active");
    expect(clock.events.map(({ at }) => at)).toEqual(clock.events.map(({ at }) => at).toSorted());
    const rows = await listInvoiceRows(tenantId);
    expect(rows[0]).toEqual({
      number: "TEST-INV-2026-000001",
      issued: "2026-01-29 10:00",
      due: "2026-02-12",
      lines: ["base 1 2000"],
    });
    // Each year counts for itself.
    expect(rows.map(({ number }) => number).slice(-2)).toEqual([
      "TEST-INV-2026-000012",
      "TEST-INV-2027-000001",
    ]);
    const subscription = await getSubscription(deps, OPERATOR_CONTEXT, sandbox(tenantId));
    expect(subscription).toMatchObject({ life: "active", now: "2027-02-19T10:00:00.000Z" });
  });

  it("touches neither entitlement nor numbers nor the subscription of the live environment", async () => {
    const { tenantId } = await createTestTenant(services, "Apart");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    await act(deps, sandbox(tenantId), { do: "subscribe", planId: "trial" });
    const readLive = async () => ({
      subscription: await getSubscription(deps, OPERATOR_CONTEXT, {
        tenantId,
        environment: "live",
      }),
      entitlement: await getEntitlement(services, OPERATOR_CONTEXT, { tenantId }),
      series: await database.sql`
        select * from document_series where series not like 'test %' order by series`,
    });
    const before = await readLive();
    await advanceTo(tenantId, START_MS + 300 * DAY_MS);
    await closeDue(deps);
    expect(await readLive()).toEqual(before);
  });

  it("shifts usage: what was recorded before an advance happened before it, what comes later after it", async () => {
    const { tenantId } = await createTestTenant(services, "Shifts");
    await act(deps, sandbox(tenantId), { do: "subscribe", planId: "metered" });
    await use(tenantId, 150);
    await advanceTo(tenantId, START_MS + 40 * DAY_MS);
    await use(tenantId, 1_000);
    await advanceTo(tenantId, START_MS + 70 * DAY_MS);
    await use(tenantId, 10_000);
    await advanceTo(tenantId, START_MS + 100 * DAY_MS);
    expect((await listInvoiceRows(tenantId)).map(({ lines }) => lines)).toEqual([
      ["base 1 3100"],
      ["base 1 3100", "usage 150 50"],
      ["base 1 3100", "usage 1000 900"],
      ["base 1 3100", "usage 10000 9900"],
    ]);
    const shifts = await database.sql<{ days: number }[]>`
      select (ahead_ms / ${DAY_MS}::bigint)::int as days from sandbox_usage_shifts where tenant_id = ${tenantId}
      order by recorded_to`;
    expect(shifts.map(({ days }) => days)).toEqual([0, 40, 70]);
  });

  it("keeps its shift through a change of plan", async () => {
    const { tenantId } = await createTestTenant(services, "Changes");
    await act(deps, sandbox(tenantId), { do: "subscribe", planId: "metered" });
    await advanceTo(tenantId, START_MS + 40 * DAY_MS);
    await use(tenantId, 300);
    services.clock.advance(60_000);
    await act(deps, sandbox(tenantId), { do: "change", planId: "pro", when: "now" });
    await act(deps, sandbox(tenantId), { do: "change", planId: "metered", when: "now" });
    await use(tenantId, 500);
    const upcoming = await getUpcomingInvoice(deps, OPERATOR_CONTEXT, sandbox(tenantId));
    expect(upcoming.lines.find(({ kind }) => kind === "usage")).toMatchObject({ quantity: "500" });
    const { aheadMs } = await getClock(deps, OPERATOR_CONTEXT, { tenantId });
    expect(aheadMs).toBe(40 * DAY_MS - (services.clock.now().getTime() - START_MS) + 60_000);
    expect((await listInvoiceRows(tenantId)).flatMap(({ lines }) => lines)).toContain(
      "usage 300 200",
    );
  });

  it("has one effect when it is advanced to one instant several times at once, and once more later", async () => {
    const { tenantId } = await createTestTenant(services, "Twice");
    await act(deps, sandbox(tenantId), { do: "subscribe", planId: "metered" });
    const toMs = (await readClockMs(tenantId)) + 65 * DAY_MS;
    const answers = await Promise.all([1, 2, 3].map(() => advanceTo(tenantId, toMs)));
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(await advanceTo(tenantId, toMs)).toEqual(answers[0]);
    expect(await listInvoiceRows(tenantId)).toHaveLength(3);
    const shifts = await database.sql`
      select from sandbox_usage_shifts where tenant_id = ${tenantId}`;
    expect(shifts).toHaveLength(1);
  });

  it("has no effect at all when its transaction fails at the end", async () => {
    const { tenantId } = await createTestTenant(services, "Fails");
    await act(deps, sandbox(tenantId), { do: "subscribe", planId: "metered" });
    await database.sql.unsafe(`
      create function refuse_shift() returns trigger language plpgsql as $$ begin raise 'no room'; end $$;
      create trigger refuse before insert on sandbox_usage_shifts for each row execute function refuse_shift()`);
    try {
      const toMs = (await readClockMs(tenantId)) + 65 * DAY_MS;
      await expect(advanceTo(tenantId, toMs)).rejects.toThrow("no room");
    } finally {
      await database.sql.unsafe(`drop function refuse_shift() cascade`);
    }
    expect(await listInvoiceRows(tenantId)).toHaveLength(1);
    expect((await getClock(deps, OPERATOR_CONTEXT, { tenantId })).aheadMs).toBe(0);
    await advanceTo(tenantId, (await readClockMs(tenantId)) + 65 * DAY_MS);
    expect((await listInvoiceRows(tenantId)).map(({ number }) => number)).toEqual([
      "TEST-INV-2026-000001",
      "TEST-INV-2026-000002",
      "TEST-INV-2026-000003",
    ]);
  });

  it("goes forward only, by two years at most, and needs a subscription in the sandbox", async () => {
    const { tenantId, context } = await createTestTenant(services, "Bounds");
    const nowMs = await readClockMs(tenantId);
    expect(nowMs).toBe(services.clock.now().getTime());
    const refuse = (ms: number) => refusalOf(advanceTo(tenantId, ms));
    expect((await refuse(nowMs + DAY_MS)).extensions).toEqual({ reason: "no_subscription" });
    await act(deps, sandbox(tenantId), { do: "subscribe", planId: "metered" });
    for (const ms of [nowMs, nowMs - 1, nowMs + 732 * DAY_MS]) {
      expect(await refuse(ms)).toMatchObject({
        code: "INVALID_REQUEST",
        errors: [{ pointer: "/to" }],
      });
    }
    const { tenantId: other } = await createTestTenant(services, "Other");
    const input = { tenantId: other, to: new Date(nowMs + DAY_MS).toISOString() };
    expect((await refusalOf(advanceClock(deps, context, input))).code).toBe("RESOURCE_NOT_FOUND");
  });
});
