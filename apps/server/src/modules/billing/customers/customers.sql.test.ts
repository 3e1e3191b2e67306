import { SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestServices, type TestServices } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refreshFigures } from "./refresh-figures.ts";

let database: TestDatabase;
let app: TestApp;
let services: TestServices;
let operator: string;
/** In the order in which they were made. */
let acme: TenantId;
let birch: TenantId;
let cedar: TenantId;

const refresh = () => refreshFigures(services, { signal: new AbortController().signal });

async function use(tenantId: TenantId, used: number) {
  const now = services.clock.now();
  await database.sql`
    insert into balances (tenant_id, meter_id, environment, period_start, period_end, used)
    values (${tenantId}, 'requests', 'live', ${now}::timestamptz - interval '1 day', ${now}::timestamptz + interval '1 day', ${used}),
      -- Neither a period that is over nor the sandbox counts.
      (${tenantId}, 'requests', 'live', ${now}::timestamptz - interval '9 days', ${now}::timestamptz - interval '1 day', 999999),
      (${tenantId}, 'requests', 'test', ${now}::timestamptz - interval '1 day', ${now}::timestamptz + interval '1 day', 888888)`;
}

async function earn(tenantId: TenantId, amount: number, currency: string) {
  await database.sql`
    insert into revenue_changes (tenant_id, sequence, happened_at, recorded_at, currency, amount, plan_id)
    values (${tenantId}, 1, now(), now(), ${currency}, 1, 'pro'), (${tenantId}, 2, now(), now(), ${currency}, ${amount}, 'pro')`;
}

async function callAt(tenantId: TenantId, at: string) {
  for (const [table, extra] of [
    ["usage_rollups", at],
    ["usage_rollups_hourly", `${at.slice(0, 13)}:00:00Z`],
  ] as const) {
    await database.sql`
      insert into ${database.sql(table)} (tenant_id, occurred_at, meter_id, environment, key_id, outcome, status, calls, quantity)
      values (${tenantId}, ${extra}, 'requests', 'live', 'key_1', 'allowed', 200, 1, 1)`;
  }
}

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  services = createTestServices(database);
  operator = await app.mintOperatorToken();
  acme = await app.mintTenant("Acme Maps");
  birch = await app.mintTenant("Birch");
  cedar = await app.mintTenant("Cedar");
  await use(acme, 5_000);
  await use(birch, 9_000);
  await app.call(operator, "PATCH", `/v1/tenants/${birch}`, { planId: "pro" });
  await earn(acme, 4_900, "USD");
  await earn(cedar, 6_000, "JPY");
  await callAt(acme, "2026-01-02T03:04:00Z");
  await callAt(cedar, "2026-01-02T03:05:00Z");
  await refresh();
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const list = async (query: string, token = operator) => {
  const reply = await app.call(token, "GET", `/v1/customers?${query}`);
  expect(reply.status, reply.text).toBe(200);
  return reply.json;
};
const namesOf = async (query: string) =>
  (await list(query)).items.map((item: { tenant: { name: string } }) => item.tenant.name);

describe("the customers of an installation", () => {
  it("have the figures of the current period, the last call and the revenue of each currency", async () => {
    const { items } = await list("q=acme");
    expect(items).toMatchObject([
      {
        tenant: { tenantId: acme, planId: "free" },
        standing: "current",
        used: "5000",
        quotaPercent: 10,
        lastUsedAt: "2026-01-02T03:04:00.000Z",
        revenue: { amount: "49.00", currency: "USD" },
      },
    ]);
    expect((await list("q=cedar")).items[0].revenue).toEqual({ amount: "6000", currency: "JPY" });
    expect((await list("q=birch")).items[0]).toMatchObject({ lastUsedAt: null, revenue: null });
  });

  it.each([
    ["newest", ["Cedar", "Birch", "Acme Maps"]],
    ["usage", ["Birch", "Acme Maps", "Cedar"]],
    ["quota", ["Acme Maps", "Birch", "Cedar"]],
    ["activity", ["Cedar", "Acme Maps", "Birch"]],
    ["revenue", ["Cedar", "Acme Maps", "Birch"]],
  ])("are sorted by %s, the same page by page", async (sort, names) => {
    expect(await namesOf(`sort=${sort}`)).toEqual(names);
    const paged: string[] = [];
    let cursor = "";
    do {
      const page = await list(`sort=${sort}&limit=1${cursor}`);
      paged.push(page.items[0].tenant.name);
      cursor = page.nextCursor === null ? "" : `&cursor=${encodeURIComponent(page.nextCursor)}`;
    } while (cursor !== "");
    expect(paged).toEqual(names);
    const strange = await app.call(operator, "GET", `/v1/customers?sort=${sort}&cursor=1~${acme}x`);
    expect(strange.status).toBe(400);
  });

  it("are found by name, id and a member's address, by plan, standing and suspension", async () => {
    const { token } = await app.mintMember(cedar, "viewer");
    const { email } = (await app.call(token, "GET", "/v1/me")).json;
    expect(await namesOf(`q=${encodeURIComponent(email)}`)).toEqual(["Cedar"]);
    expect(await namesOf(`q=${birch}`)).toEqual(["Birch"]);
    expect(await namesOf("q=%25")).toEqual([]);
    expect(await namesOf("planId=pro")).toEqual(["Birch"]);
    await database.sql`update tenant_entitlements set standing = 'overdue' where tenant_id = ${acme}`;
    expect(await namesOf("standing=overdue")).toEqual(["Acme Maps"]);
    await app.call(operator, "PATCH", `/v1/tenants/${birch}`, { suspended: true });
    expect(await namesOf("suspended=true&sort=usage")).toEqual(["Birch"]);
    expect(await namesOf("suspended=false")).toEqual(["Cedar", "Acme Maps"]);
  });

  it("are written only where a figure has changed, and a new one is listed at once", async () => {
    expect(await refresh()).toBe(0);
    const dawn = await app.mintTenant("Dawn");
    expect(await namesOf("sort=usage")).toContain("Dawn");
    await use(dawn, 70_000);
    expect(await refresh()).toBe(1);
    expect((await list("sort=usage")).items[0]).toMatchObject({
      tenant: { tenantId: dawn },
      used: "70000",
      quotaPercent: 140,
    });
    await app.call(operator, "POST", `/v1/tenants/${dawn}/delete`, { name: "Dawn" });
    expect(await namesOf("sort=usage")).not.toContain("Dawn");
  });

  it("are for the operator's actors alone, and their revenue for those who may read invoices", async () => {
    const reader = await app.mintServiceKey(["tenants:read"]);
    expect((await list("q=acme", reader)).items[0]).toMatchObject({ used: "5000", revenue: null });
    const { token: owner } = await app.mintMember(acme, "owner");
    const refused = [
      await app.call(reader, "GET", "/v1/customers?sort=revenue"),
      await app.call(owner, "GET", "/v1/customers"),
      await app.call(
        await app.mintKey(
          acme,
          SCOPES.filter((scope) => scope === "tenants:read"),
        ),
        "GET",
        "/v1/customers",
      ),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
  });
});
