import { catalogInput } from "@turnpike/contract/catalog";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCatalog } from "#modules/catalog/index.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeDue } from "../closing/close-due.ts";
import { listLiveInvoices } from "../invoices/documents.store.ts";
import { listLineUsage } from "../invoices/list-line-usage.ts";
import { act, openPricedBilling, recordUsage } from "../testing/billing.fixture.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  ({ database, services, deps } = await openPricedBilling());
});
afterAll(() => database.close());

const now = () => services.clock.now();

async function listUsageLines(tenantId: TenantId): Promise<string[]> {
  const rows = await database.sql<{ said: string }[]>`
    select l.kind || ' ' || trim_scale(l.quantity) as said from invoice_lines l join invoices i using (invoice_id)
    where l.tenant_id = ${tenantId} and l.kind in ('usage', 'late') order by i.series_number, l.line`;
  return rows.map(({ said }) => said);
}

describe("a change of an account", () => {
  it("credits an invoice that it issues itself, because time passed before it", async () => {
    const { tenantId } = await createTestTenant(services, "Behind");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    services.clock.advance(40 * DAY_MS);
    // No job has closed the period yet: the change does, and then gives back what the new period was paid for.
    await act(deps, { tenantId }, { do: "cancel", when: "now" });
    const rows = await database.sql<
      { credited: string; ofLines: string; ofNotes: string; isReturned: boolean }[]
    >`
      select i.credited::text as credited, sum(l.credited)::text as "ofLines", bool_or(l.is_returned) as "isReturned",
        (select sum(n.total)::text from credit_notes n where n.invoice_id = i.invoice_id) as "ofNotes"
      from invoices i join invoice_lines l using (invoice_id)
      where i.tenant_id = ${tenantId} group by i.tenant_id, i.invoice_id order by i.series_number`;
    expect(rows).toHaveLength(2);
    const [first, second] = rows;
    expect(first).toMatchObject({ credited: "0", ofNotes: null });
    expect(Number(second?.credited)).toBeGreaterThan(0);
    expect(second).toMatchObject({
      ofLines: second?.credited,
      ofNotes: second?.credited,
      isReturned: true,
    });
  });

  it("begins a plan with the usage of its minute, whenever that was recorded", async () => {
    const { tenantId } = await createTestTenant(services, "Minute");
    await recordUsage(services, {
      tenantId,
      at: new Date(now().getTime() - MINUTE_MS),
      quantity: 1_000,
    });
    await recordUsage(services, { tenantId, at: now(), quantity: 101 });
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    await recordUsage(services, { tenantId, at: now(), quantity: 10 });
    // What ends does not have the usage of the minute in which it ends, and what begins there does.
    services.clock.advance(DAY_MS);
    await recordUsage(services, { tenantId, at: now(), quantity: 200 });
    await act(deps, { tenantId }, { do: "pause", when: "now" });
    expect(await listUsageLines(tenantId)).toEqual(["usage 111"]);
    await closeDue(deps);
    await act(deps, { tenantId }, { do: "resume" });
    services.clock.advance(32 * DAY_MS);
    await closeDue(deps);
    expect(await listUsageLines(tenantId)).toEqual(["usage 111", "usage 200"]);
  });

  it("that is confirmed after the end of its period leaves the usage since to no one", async () => {
    const { tenantId } = await createTestTenant(services, "Edge");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    await act(deps, { tenantId }, { do: "cancel", when: "period_end" });
    const endMs = now().getTime() + 31 * DAY_MS;
    services.clock.advance(31 * DAY_MS - MINUTE_MS);
    await recordUsage(services, { tenantId, at: now(), quantity: 150 });
    await act(deps, { tenantId }, { do: "uncancel" });
    await act(deps, { tenantId }, { do: "cancel", when: "period_end" });
    await recordUsage(services, { tenantId, at: new Date(endMs), quantity: 3 });
    services.clock.advance(5 * MINUTE_MS);
    await closeDue(deps);
    expect(await listUsageLines(tenantId)).toEqual(["usage 150"]);
  });

  it("knows invoices in the order of their issue, also where the numbers of a new year begin between two that closed at one instant", async () => {
    const { tenantId } = await createTestTenant(services, "New year");
    const nextYearMs = Date.UTC(now().getUTCFullYear() + 1, 0, 1);
    services.clock.advance(nextYearMs - 40 * DAY_MS - now().getTime());
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    services.clock.advance(nextYearMs - MINUTE_MS - now().getTime());
    const endMs = now().getTime();
    await recordUsage(services, { tenantId, at: new Date(endMs - DAY_MS), quantity: 500 });
    await act(deps, { tenantId }, { do: "cancel", when: "now" });
    await recordUsage(services, { tenantId, at: new Date(endMs - DAY_MS), quantity: 500 });
    services.clock.advance(DAY_MS);
    await closeDue(deps);
    const documents = await services.transact.asOperator((tx) =>
      listLiveInvoices(tx, [{ tenantId, environment: "live" }], []),
    );
    const issued = await database.sql<{ number: string; closedAt: Date }[]>`
      select number, closed_at as "closedAt" from invoices where tenant_id = ${tenantId} order by issued_at, series_number`;
    expect(documents.map(({ number }) => number)).toEqual(issued.map(({ number }) => number));
    expect(issued.slice(-2).map(({ closedAt }) => closedAt.getTime())).toEqual([endMs, endMs]);
    const years = issued.slice(-2).map(({ number }) => number.match(/\d{4}/)?.[0]);
    expect(new Set(years).size).toBe(2);
  });

  it("invoices usage of an add-on that ended periods before as usage that can be opened", async () => {
    const price = { model: "per_unit", unitAmount: "0.5" };
    const card = { key: "extra", meter: "requests", interval: { month: 1 }, timing: "arrears" };
    await applyCatalog(
      services,
      OPERATOR_CONTEXT,
      catalogInput.parse({
        meters: [],
        plans: [
          {
            ...{ planId: "extra", name: "Extra", currency: "USD", isAddOn: true },
            phases: [{ rateCards: [{ ...card, price }] }],
          },
        ],
      }),
    );
    const { tenantId } = await createTestTenant(services, "Extra");
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    await act(deps, { tenantId }, { do: "addOn", planId: "extra" });
    await recordUsage(services, { tenantId, at: new Date(now()), quantity: 10 });
    services.clock.advance(DAY_MS);
    await act(deps, { tenantId }, { do: "removeAddOn", planId: "extra", proration: "nextPeriod" });
    // Other changes come between its end and the invoice.
    services.clock.advance(DAY_MS);
    await closeDue(deps);
    services.clock.advance(31 * DAY_MS);
    await closeDue(deps);
    const [line] = await database.sql<{ invoiceId: string; line: number; meterId: string }[]>`
      select l.invoice_id as "invoiceId", l.line, l.meter_id as "meterId" from invoice_lines l
      where l.tenant_id = ${tenantId} and l.card = 'extra'`;
    expect(line?.meterId).toBe("requests");
    const { items } = await listLineUsage(deps, OPERATOR_CONTEXT, {
      ...{ tenantId, environment: "live", by: "day", limit: 10 },
      ...{ invoiceId: line?.invoiceId ?? "", line: line?.line ?? 0 },
    });
    expect(items.map(({ quantity, amount }) => [quantity, amount])).toEqual([["10", "5.00"]]);
  });
});
