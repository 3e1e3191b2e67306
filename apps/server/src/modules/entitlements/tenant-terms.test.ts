import { SCOPES } from "@turnpike/domain/access/scopes";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let database: TestDatabase;
let app: TestApp;
let operator: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  operator = await app.mintServiceKey(SCOPES);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

describe("a tenant's own limits", () => {
  it("replace those of its plan on every call, and leave them again, each with a reason in the audit log", async () => {
    const tenantId = await app.mintTenant("Acme");
    const key = await app.mintKey(tenantId, []);
    const path = `/v1/tenants/${tenantId}/terms`;
    const before = (await app.call(operator, "GET", path)).json;
    expect(before).toMatchObject({ overrides: {}, terms: before.plan });

    const overrides = { quotas: [{ meter: "requests", limit: 0, kind: "hard" }] };
    const put = await app.call(operator, "PUT", path, {
      overrides,
      reason: "Until they have paid",
    });
    expect(put.json).toMatchObject({
      overrides,
      plan: before.plan,
      terms: { ...before.plan, ...overrides },
    });
    await app.call(operator, "PUT", path, { overrides, reason: "Said twice, changes nothing" });
    const call = () => fetch(`${app.gatewayUrl}/thing`, { headers: { "x-api-key": key } });
    await pollUntil("the quota holds", async () => (await call()).status === 429);

    const cleared = await app.call(operator, "PUT", path, { overrides: {}, reason: "They paid" });
    expect(cleared.json).toEqual(before);
    await pollUntil("the plan holds again", async () => (await call()).status === 200);
    const audit = await app.call(operator, "GET", `/v1/tenants/${tenantId}/audit`);
    const reasons = audit.json.items
      .filter(({ action }: { action: string }) => action === "tenant.limits_changed")
      .map(({ details }: { details: { reason: string } }) => details.reason);
    expect(reasons).toEqual(["They paid", "Until they have paid"]);
  });

  it("give the members of that tenant one notification for each change", async () => {
    const tenantId = await app.mintTenant("Told");
    const stranger = await app.mintTenant("Other");
    const path = `/v1/tenants/${tenantId}/terms`;
    const { plan } = (await app.call(operator, "GET", path)).json;
    const put = (overrides: object) =>
      app.call(operator, "PUT", path, { overrides, reason: "Agreed on the phone" });
    const quotas = [{ meter: "requests", limit: 7, kind: "hard" }];
    // The second one says what holds already, the last but one gives what the plan has.
    for (const overrides of [
      { quotas },
      { quotas },
      {},
      { quotas: plan.quotas },
      { quotas, concurrency: 3 },
    ]) {
      expect((await put(overrides)).status).toBe(200);
    }
    const { token: member } = await app.mintMember(tenantId, "viewer");
    const { json } = await app.call(member, "GET", `/v1/tenants/${tenantId}/notifications`);
    const bodies = json.items
      .filter(({ kind }: { kind: string }) => kind === "tenant.limits_changed")
      .map(({ body }: { body: string }) => body.split(". ")[0]);
    expect(bodies).toEqual([
      "The operator gave your tenant limits of its own",
      "The limits of your plan hold for your tenant again",
      "The operator gave your tenant limits of its own",
    ]);
    expect(
      (await app.call(operator, "GET", `/v1/tenants/${stranger}/notifications`)).json.items,
    ).toEqual([]);
  });

  it("are refused where they do not fit, and lose nothing", async () => {
    const tenantId = await app.mintTenant("Blue");
    const path = `/v1/tenants/${tenantId}/terms`;
    const quota = { meter: "requests", limit: 5, kind: "hard" };
    const good = { overrides: { quotas: [quota] }, reason: "Agreed" };
    await app.call(operator, "PUT", path, good);
    for (const [overrides, pointer] of [
      [{ quotas: [{ ...quota, meter: "nothing" }] }, "/overrides/quotas/0/meter"],
      [{ quotas: [quota, quota] }, "/overrides/quotas/1/meter"],
      [{ quotas: [{ ...quota, limit: -1 }] }, "/overrides/quotas/0/limit"],
    ] as const) {
      const reply = await app.call(operator, "PUT", path, { ...good, overrides });
      expect(reply.status).toBe(400);
      expect(reply.json.errors[0].pointer).toBe(pointer);
    }
    expect((await app.call(operator, "PUT", path, { overrides: {} })).status).toBe(400);
    expect((await app.call(operator, "GET", path)).json.overrides).toEqual(good.overrides);
  });

  it("are the operator's to change, and the tenant's to read", async () => {
    const tenantId = await app.mintTenant("Cyan");
    const owner = await app.mintMember(tenantId, "owner");
    const path = `/v1/tenants/${tenantId}/terms`;
    expect((await app.call(owner.token, "GET", path)).status).toBe(200);
    const body = { overrides: {}, reason: "More for me" };
    expect((await app.call(owner.token, "PUT", path, body)).status).toBe(403);
    const other = await app.mintMember(await app.mintTenant("Deep"), "owner");
    expect((await app.call(other.token, "GET", path)).status).toBe(404);
  });
});
