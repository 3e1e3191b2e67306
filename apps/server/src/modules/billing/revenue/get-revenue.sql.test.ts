import type { RevenueReport } from "@turnpike/contract/revenue";
import { REVENUE_ROWS } from "@turnpike/contract/revenue";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { toScaled } from "@turnpike/domain/money/decimal";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteTenant, restoreTenant } from "#modules/tenants/index.ts";
import { changeAccount } from "../accounts/change-account.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeDue } from "../closing/close-due.ts";
import { act, openPricedBilling, recordUsage } from "../testing/billing.fixture.ts";
import { getRevenue } from "./get-revenue.ts";
import { listOverdueInvoices } from "./list-overdue-invoices.ts";
import { listRevenueCustomers } from "./list-revenue-customers.ts";
import { listUsageInvoices } from "./list-usage-invoices.ts";

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
const tenants = new Map<string, TenantId>();
/** What the report said of a month as soon as it was over. */
let asItWas: RevenueReport;

const of = (name: string) => ({ tenantId: tenants.get(name) ?? expect.fail(name) });

async function moveTo(instant: string): Promise<void> {
  services.clock.advance(Date.parse(instant) - services.clock.now().getTime());
  await closeDue(deps);
}

const report = async (months = 6) => await getRevenue(deps, OPERATOR_CONTEXT, { months });

/** A quarter in the life of an installation. */
beforeAll(async () => {
  ({ database, services, deps } = await openPricedBilling());
  for (const name of ["grows", "leaves", "tries", "pauses", "gone", "uses"]) {
    tenants.set(name, (await createTestTenant(services, name)).tenantId);
  }
  await moveTo("2027-01-10T00:00:00Z");
  for (const name of ["leaves", "pauses", "gone"]) {
    await act(deps, of(name), { do: "subscribe", planId: "metered" });
  }
  await act(deps, of("uses"), { do: "subscribe", planId: "limited" });
  await act(deps, of("grows"), { do: "subscribe", planId: "metered" });
  await act(
    { ...deps },
    { ...of("grows"), environment: "test" },
    { do: "subscribe", planId: "metered" },
  );
  await moveTo("2027-01-25T00:00:00Z");
  await act(deps, of("tries"), { do: "subscribe", planId: "trial" });
  await recordUsage(services, { ...of("uses"), at: services.clock.now(), quantity: 100 });
  await act(deps, of("leaves"), { do: "cancel", when: "period_end" });
  // A smaller plan, from the next period on.
  await act(deps, of("grows"), { do: "change", planId: "trial", when: "period_end" });
  // Nothing closes for weeks, and the end of the month is passed on the way.
  await moveTo("2027-03-01T00:05:00Z");
  asItWas = await report(4);
  await act(deps, of("pauses"), { do: "pause", when: "now" });
  await moveTo("2027-03-10T00:00:00Z");
  await deleteTenant(services, OPERATOR_CONTEXT, { ...of("gone"), name: "gone" });
  await moveTo("2027-04-02T00:00:00Z");
  await act(deps, of("pauses"), { do: "resume" });
});
afterAll(() => database.close());

function monthsOf({ currencies }: RevenueReport) {
  return new Map(
    currencies
      .filter(({ currency }) => currency === "USD")
      .flatMap(({ months }) => months.map((month) => [month.month, month])),
  );
}

/** Only what moved. */
function movesOf(given: RevenueReport, month: string): string[] {
  const found = monthsOf(given).get(month) ?? expect.fail(month);
  return Object.entries(found.movements)
    .filter(([, { customers }]) => customers > 0)
    .map(([kind, { change, customers }]) => `${String(customers)} ${kind} ${change}`);
}

describe("recurring revenue", () => {
  it("moves by month: new, contraction, churn, a trial that ends, a pause and its end", async () => {
    const now = await report();
    expect(movesOf(now, "2027-01")).toEqual(["4 new 124.00"]);
    expect(movesOf(now, "2027-02")).toEqual([
      "1 new 20.00",
      "1 contraction -11.00",
      "1 churned -31.00",
    ]);
    expect(movesOf(now, "2027-03")).toEqual(["2 churned -62.00"]);
    expect(movesOf(now, "2027-04")).toEqual(["1 reactivated 31.00"]);
    expect(monthsOf(now).get("2027-02")).toMatchObject({
      opening: "124.00",
      closing: "102.00",
      closingCustomers: 4,
      isOver: true,
      customerChurn: "25.00",
      revenueChurn: "33.87",
      netRetention: "66.13",
      grossRetention: "66.13",
      usage: "0.00",
    });
    // On the day of issue: the job was late.
    expect(monthsOf(now).get("2027-03")?.usage).toBe("1.50");
    expect(now.currencies[0]).toMatchObject({ currency: "USD", mrr: "71.00", customers: 3 });
  });

  it("of a month that is over never changes, also after pauses and deletions since", async () => {
    const [before, now] = [monthsOf(asItWas), monthsOf(await report())];
    for (const month of ["2026-12", "2027-01", "2027-02"]) {
      expect(now.get(month)).toEqual(before.get(month));
    }
  });

  it("is the sum of the customers behind each figure, page by page", async () => {
    const sums = monthsOf(await report());
    for (const [month, { closing, opening, movements }] of sums) {
      for (const rows of REVENUE_ROWS) {
        let [after, change, count] = [0n, 0n, 0];
        for (let cursor: string | undefined; ; ) {
          const page: Awaited<ReturnType<typeof listRevenueCustomers>> = await listRevenueCustomers(
            deps,
            OPERATOR_CONTEXT,
            { month, currency: "USD", rows, limit: 2, ...(cursor === undefined ? {} : { cursor }) },
          );
          for (const item of page.items) {
            after += toScaled(item.after);
            change += toScaled(item.change);
            count += 1;
          }
          if (page.nextCursor === null) {
            break;
          }
          cursor = page.nextCursor;
        }
        if (rows === "closing") {
          expect(after).toBe(toScaled(closing));
        } else if (rows === "moved") {
          expect(change).toBe(toScaled(closing) - toScaled(opening));
        } else {
          expect([change, count]).toEqual([
            toScaled(movements[rows].change),
            movements[rows].customers,
          ]);
        }
      }
    }
  });

  it("keeps the name of a tenant that is gone, and counts it again when it comes back", async () => {
    const asked = { month: "2027-03", currency: "USD", rows: "churned" as const, limit: 10 };
    const { items } = await listRevenueCustomers(deps, OPERATOR_CONTEXT, asked);
    expect(items.map(({ tenantName, kind }) => `${tenantName} ${String(kind)}`).sort()).toEqual([
      "gone churned",
      "pauses churned",
    ]);
    await restoreTenant(services, OPERATOR_CONTEXT, of("gone"));
    await moveTo("2027-04-02T00:10:00Z");
    expect(movesOf(await report(), "2027-03")).toEqual(["2 churned -62.00"]);
    expect(movesOf(await report(), "2027-04")).toEqual(["2 reactivated 62.00"]);
  });

  it("is append-only, for the owner of the table too", async () => {
    await expect(database.sql`update revenue_changes set amount = 0`).rejects.toThrow(
      "not changed",
    );
    await expect(database.sql`delete from revenue_changes`).rejects.toThrow("not changed");
  });
});

describe("the rows of the revenue report", () => {
  it("lists usage by invoice and overdue invoices by age, whose sums are the figures", async () => {
    const now = await report();
    const asked = { month: "2027-03", currency: "USD", limit: 10 };
    const used = await listUsageInvoices(deps, OPERATOR_CONTEXT, asked);
    expect(used.items.map(({ tenantName, usage }) => `${tenantName} ${usage}`)).toEqual([
      "uses 1.50",
    ]);
    const overdue = now.currencies[0]?.overdue ?? expect.fail("no currency");
    let due = 0n;
    for (const { fromDays, count, due: sum } of overdue.ages) {
      const { items } = await listOverdueInvoices(deps, OPERATOR_CONTEXT, { fromDays, limit: 100 });
      expect(items).toHaveLength(count);
      const ofAge = items.reduce((total, item) => total + toScaled(item.due), 0n);
      expect(ofAge).toBe(toScaled(sum));
      due += ofAge;
    }
    expect(due).toBe(toScaled(overdue.due));
    expect(overdue.count).toBeGreaterThan(3);
  });

  it("says what follows an overdue invoice, and when calls are refused", async () => {
    const { items } = await listOverdueInvoices(deps, OPERATOR_CONTEXT, { limit: 100 });
    const of = (name: string) => items.find(({ tenantName }) => tenantName === name);
    // Issued on January 10, due on the 24th: the last notice 21 days later, and a week of grace.
    expect(of("leaves")).toMatchObject({
      due: "31.00",
      next: null,
      blockedAt: "2027-02-21T00:01:00.000Z",
      standing: "blocked",
    });
    const recent = items.at(-1);
    expect(recent?.next?.kind).toMatch(/^invoice\./);
    expect(Date.parse(recent?.next?.at ?? "")).toBeGreaterThan(services.clock.now().getTime());
  });

  it("follows the calendar of attempts once a payment has failed, and shows it before the due date", async () => {
    const failed = (await createTestTenant(services, "Declined")).tenantId;
    await act(deps, { tenantId: failed }, { do: "subscribe", planId: "metered" });
    const [invoice] = await database.sql<{ id: string }[]>`
      select invoice_id as id from invoices where tenant_id = ${failed}`;
    const firstFailedMs = services.clock.now().getTime();
    await changeAccount(deps, OPERATOR_CONTEXT, {
      key: { tenantId: failed, environment: "live" },
      step: (account) => ({
        ...account,
        calendars: [{ invoice: 0, firstFailedMs, attemptsPassed: 1, isStopped: false }],
      }),
      events: [],
      noteReason: "",
    });
    const { items } = await listOverdueInvoices(deps, OPERATOR_CONTEXT, { limit: 100 });
    const DAY_MS = 24 * 60 * 60 * 1000;
    expect(items.find(({ invoiceId }) => invoiceId === invoice?.id)).toMatchObject({
      daysOverdue: 0,
      next: { kind: "invoice.attempt", at: new Date(firstFailedMs + 7 * DAY_MS).toISOString() },
      blockedAt: new Date(firstFailedMs + 28 * DAY_MS).toISOString(),
    });
  });

  it("is for operators alone", async () => {
    const { context } = await createTestTenant(services, "Other");
    await expect(getRevenue(deps, context, { months: 1 })).rejects.toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
  });
});
