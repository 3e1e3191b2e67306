import type { LinePart } from "@turnpike/contract/invoices";
import { toScaled } from "@turnpike/domain/money/decimal";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import type { TestServices } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BillingDeps } from "../billing-deps.ts";
import { openPricedBilling } from "../testing/billing.fixture.ts";
import {
  closeMonth,
  DAY_MS,
  HOUR_MS,
  newestInvoice,
  openLine,
  type Subscriber,
  subscribeTenant,
  sumOf,
} from "../testing/line-usage.fixture.ts";

let database: TestDatabase;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  ({ database, deps } = await openPricedBilling());
});
afterAll(() => database.close());

const subscribe = (name: string, options?: Parameters<typeof subscribeTenant>[2]) =>
  subscribeTenant(deps, name, options);
const open = (tenant: Subscriber, input: Parameters<typeof openLine>[2]) =>
  openLine(deps, tenant, input);

const short = (parts: readonly LinePart[]) =>
  parts.map(({ day, keyName, route, quantity, amount }) => [
    day ?? keyName ?? route,
    quantity,
    amount,
  ]);

describe("a line of usage", () => {
  it("opens to days, keys and routes, on the running invoice and once it is issued", async () => {
    const tenant = await subscribe("Opens");
    await tenant.use({ afterMs: HOUR_MS, quantity: 80, route: "/a" });
    await tenant.use({ afterMs: DAY_MS, quantity: 50, key: 1, route: "/a" });
    await tenant.use({ afterMs: DAY_MS + 90_000, quantity: 70, route: "/b" });
    await tenant.use({ afterMs: 3 * DAY_MS, quantity: 100, key: 1 });
    const day = (count: number) =>
      new Date(tenant.startMs + count * DAY_MS).toISOString().slice(0, 10);
    const expectOpen = async (line: { invoiceId: string; line: number }) => {
      expect(short(await open(tenant, line))).toEqual([
        [day(0), "80", "0.00"],
        [day(1), "120", "1.00"],
        [day(3), "100", "1.00"],
      ]);
      expect(short(await open(tenant, { ...line, by: "key" }))).toEqual([
        ["First", "150", expect.any(String)],
        ["Second", "150", expect.any(String)],
      ]);
      expect(short(await open(tenant, { ...line, by: "route" }))).toEqual([
        ["GET /a", "130", expect.any(String)],
        ["GET /b", "70", expect.any(String)],
        [null, "100", expect.any(String)],
      ]);
      const [first] = await open(tenant, {
        ...line,
        by: "route",
        day: day(1),
        key: tenant.keys[0],
      });
      expect(first).toMatchObject({
        keyId: tenant.keys[0],
        keyName: "First",
        day: day(1),
        route: "GET /b",
        quantity: "70",
      });
      for (const by of ["day", "key", "route"] as const) {
        expect(sumOf(await open(tenant, { ...line, by, limit: 2 }))).toEqual({
          quantity: toScaled("300"),
          amount: toScaled("2"),
        });
      }
    };
    await expectOpen({ invoiceId: "upcoming", line: 2 });
    await closeMonth(deps);
    const { invoiceId, lines } = await newestInvoice(deps, tenant);
    expect(lines[1]).toMatchObject({ kind: "usage", hasUsage: true, meterId: "requests" });
    await expectOpen({ invoiceId, line: 2 });
  });

  it("opens to the models of an API that answers with tokens", async () => {
    const tenant = await subscribe("Models");
    await tenant.use({ afterMs: HOUR_MS, quantity: 90, model: "small" });
    await tenant.use({ afterMs: DAY_MS, quantity: 60, route: "/a", model: "large" });
    await tenant.use({ afterMs: DAY_MS + 60_000, quantity: 40, route: "/a", model: "small" });
    await tenant.use({ afterMs: 2 * DAY_MS, quantity: 10 });
    const line = { invoiceId: "upcoming", line: 2 };
    const parts = await open(tenant, { ...line, by: "model" });
    expect(parts.map(({ model, quantity }) => [model, quantity])).toEqual([
      ["small", "130"],
      ["large", "60"],
      [null, "10"],
    ]);
    expect(sumOf(parts)).toEqual({ quantity: toScaled("200"), amount: toScaled("1") });
  });

  it("keeps its parts when usage of it is recorded late, which is a line of its own", async () => {
    const tenant = await subscribe("Late");
    await tenant.use({ afterMs: 2 * HOUR_MS, quantity: 120, route: "/a" });
    await tenant.use({ afterMs: 5 * HOUR_MS, quantity: 30, route: "/b" });
    await closeMonth(deps);
    const issued = await newestInvoice(deps, tenant);
    // Of an hour that is on the invoice, and of one that was empty.
    await tenant.use({ afterMs: 2 * HOUR_MS, quantity: 10, route: "/c" });
    await tenant.use({ afterMs: 9 * HOUR_MS, quantity: 15, route: "/d" });
    expect(short(await open(tenant, { ...issued, line: 2, by: "route" }))).toEqual([
      ["GET /b", "30", "0.00"],
      [null, "120", "0.50"],
    ]);
    await closeMonth(deps);
    const later = await newestInvoice(deps, tenant);
    expect(later.lines[1]).toMatchObject({ kind: "late", quantity: "25", amount: "0.25" });
    expect(short(await open(tenant, { ...later, line: 2, by: "route" }))).toEqual([
      ["GET /d", "15", "0.15"],
      [null, "10", "0.10"],
    ]);
  });

  it("within a hard limit has the first units, and the line beyond it has the others", async () => {
    const tenant = await subscribe("Limited", { planId: "limited" });
    await tenant.use({ afterMs: HOUR_MS, quantity: 80, route: "/a" });
    await tenant.use({ afterMs: DAY_MS, quantity: 50, route: "/a" });
    await tenant.use({ afterMs: 2 * DAY_MS, quantity: 7, key: 1, route: "/a" });
    await closeMonth(deps);
    const invoice = await newestInvoice(deps, tenant);
    expect(invoice.lines).toMatchObject([
      { kind: "usage", quantity: "100", amount: "1.50" },
      { kind: "beyondCap", quantity: "37", amount: "0.00", hasUsage: true },
    ]);
    const quantities = async (line: number) =>
      (await open(tenant, { ...invoice, line })).map(({ quantity }) => quantity);
    expect(await quantities(1)).toEqual(["80", "20"]);
    expect(await quantities(2)).toEqual(["30", "7"]);
    const beyond = await open(tenant, { ...invoice, line: 2, by: "route" });
    expect(short(beyond)).toEqual([
      ["GET /a", "7", "0.00"],
      [null, "30", "0.00"],
    ]);
  });

  it("sums to the line when its usage is no longer kept", async () => {
    const tenant = await subscribe("Forgotten");
    await tenant.use({ afterMs: HOUR_MS, quantity: 150 });
    await tenant.use({ afterMs: DAY_MS, quantity: 40 });
    await closeMonth(deps);
    const invoice = await newestInvoice(deps, tenant);
    await database.sql`
      delete from ledger_entries where tenant_id = ${tenant.tenantId} and quantity = 40`;
    const parts = await open(tenant, { ...invoice, line: 2 });
    expect(short(parts).at(-1)).toEqual([null, "40", "0.40"]);
    expect(sumOf(parts)).toEqual({ quantity: toScaled("190"), amount: toScaled("0.9") });
  });

  it("of a sandbox lies where the sandbox's clock was", async () => {
    const tenant = await subscribe("Sandbox", { environment: "test" });
    const of = { environment: "test" as const, invoiceId: "upcoming", line: 2 };
    await tenant.use({ afterMs: 60_000, quantity: 10, route: "/a" });
    await tenant.use({ afterMs: 2 * 60_000, quantity: 20, route: "/b" });
    // What was recorded first happened by the clock as it was; from then on it is ahead.
    await database.sql`
      insert into sandbox_usage_shifts (tenant_id, recorded_to, ahead_ms)
      select tenant_id, min(recorded_at), 0 from ledger_entries where tenant_id = ${tenant.tenantId} group by 1`;
    await database.sql`
      update billing_accounts set ahead_ms = ${5 * DAY_MS} where tenant_id = ${tenant.tenantId}`;
    const days = (await open(tenant, of)).map(({ day, quantity }) => [day, quantity]);
    const dayAt = (ms: number) => new Date(tenant.startMs + ms).toISOString().slice(0, 10);
    expect(days).toEqual([
      [dayAt(0), "10"],
      [dayAt(5 * DAY_MS), "20"],
    ]);
    expect(short(await open(tenant, { ...of, by: "route" }))).toEqual([
      ["GET /b", "20", "0.00"],
      ["GET /a", "10", "0.00"],
    ]);
  });

  it("is a line of usage, and of the tenant", async () => {
    const tenant = await subscribe("Refused");
    const other = await subscribe("Other");
    await other.use({ afterMs: HOUR_MS, quantity: 1 });
    await closeMonth(deps);
    const [own, foreign] = [await newestInvoice(deps, tenant), await newestInvoice(deps, other)];
    for (const line of [
      { invoiceId: own.invoiceId, line: 1 },
      { invoiceId: own.invoiceId, line: 9 },
      { invoiceId: "upcoming", line: 9 },
      { invoiceId: foreign.invoiceId, line: 2 },
    ]) {
      expect((await refusalOf(open(tenant, line))).code).toBe("RESOURCE_NOT_FOUND");
    }
  });
});
