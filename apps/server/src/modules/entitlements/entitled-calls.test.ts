import { randomUUID } from "node:crypto";
import type { TermsOverrides } from "@turnpike/domain/entitlements/entitlement";
import type { Standing } from "@turnpike/domain/entitlements/standing";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { periodAt } from "@turnpike/domain/time/period";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findQuotaUse } from "#modules/metering/index.ts";
import { setStanding } from "./set-standing.ts";

let database: TestDatabase;
let app: TestApp;
let serviceKey: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database, { configText: "trustedProxies: [127.0.0.1]\n" });
  serviceKey = await app.mintServiceKey(["keys:verify", "keys:write", "usage:read"]);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

type Answer = { status: number; code: string | undefined };

const verify = async (key: string, more: object): Promise<Answer> => {
  const reply = await app.call(serviceKey, "POST", "/v1/keys/verify", { key, ...more });
  expect(reply.status).toBe(200);
  return { status: reply.json.valid ? 200 : 402, code: reply.json.code };
};

async function fetchCode(url: string, key: string): Promise<Answer> {
  const reply = await fetch(url, {
    headers: {
      "x-api-key": key,
      "x-original-method": "GET",
      "x-original-uri": "/things",
      "x-forwarded-method": "GET",
      "x-forwarded-uri": "/things",
    },
  });
  const text = await reply.text();
  const isProblem = reply.headers.get("content-type")?.includes("problem+json") === true;
  return { status: reply.status, code: isProblem ? JSON.parse(text).code : "VALID" };
}

/** Every way in which a call is decided. */
const WAYS: Readonly<Record<string, (key: string) => Promise<Answer>>> = {
  gateway: (key) => fetchCode(`${app.gatewayUrl}/things`, key),
  verify: (key) => verify(key, {}),
  "verify with a lock": (key) => verify(key, { cost: 1, lock: {} }),
  "forward auth for Caddy": (key) => fetchCode(`${app.url}/v1/authorize/caddy`, key),
  "forward auth for Traefik": (key) => fetchCode(`${app.url}/v1/authorize/traefik`, key),
};

async function createCustomer() {
  const tenantId = await app.mintTenant(randomUUID());
  const key = await app.mintKey(tenantId, []);
  await app.hearChanges();
  return { tenantId, key };
}

async function move(tenantId: TenantId, standing: Standing): Promise<void> {
  await setStanding(app.services, OPERATOR_CONTEXT, { tenantId, standing });
  // Another change of the same feed: once it is in effect, so is this one.
  await app.hearChanges();
}

describe.each(Object.keys(WAYS))("a call by %s", (way) => {
  const call = (key: string) => (WAYS[way] ?? expect.fail())(key);

  it.each([
    ["blocked", "PAYMENT_REQUIRED"],
    ["capped", "SPEND_CAP_REACHED"],
  ] as const)(
    "is refused while the tenant is %s, and passes again once it is current",
    async (standing, code) => {
      const { tenantId, key } = await createCustomer();
      expect(await call(key)).toEqual({ status: 200, code: "VALID" });
      await move(tenantId, standing);
      expect(await call(key)).toEqual({ status: 402, code });
      await move(tenantId, "current");
      expect(await call(key)).toEqual({ status: 200, code: "VALID" });
    },
  );

  it.each(["overdue", "grace"] as const)("passes while the tenant is %s", async (standing) => {
    const { tenantId, key } = await createCustomer();
    await move(tenantId, standing);
    expect(await call(key)).toEqual({ status: 200, code: "VALID" });
  });
});

describe("a call of a tenant with its own period and limits", () => {
  it("counts against the tenant's quota in the tenant's period, wherever limits are shown or applied", async () => {
    const { tenantId, key } = await createCustomer();
    const anchor = new Date("2026-01-05T06:00:00Z");
    const overrides: TermsOverrides = {
      quotas: [{ meter: "requests", limit: 2, kind: "hard" }],
      rateLimits: [],
    };
    await database.sql`
      update tenant_entitlements
      set period_anchor = ${anchor}, period_unit = 'week', period_every = 2, overrides = ${database.sql.json(overrides)}
      where tenant_id = ${tenantId}`;
    await database.sql`select record_change('tenant', ${tenantId}, ${tenantId})`;
    await app.hearChanges();
    const { start, end } = periodAt(anchor, { every: 2, unit: "week" }, new Date());
    const period = { periodStart: start.toISOString(), resetAt: end.toISOString() };

    expect(await verify(key, { cost: 2 })).toEqual({ status: 200, code: "VALID" });
    const refused = await app.call(serviceKey, "POST", "/v1/keys/verify", { key });
    expect(refused.json).toMatchObject({
      code: "QUOTA_EXCEEDED",
      limits: [{ limit: 2, remaining: 0, resetAt: period.resetAt }],
    });
    const limits = await app.call(serviceKey, "GET", `/v1/tenants/${tenantId}/limits`);
    expect(limits.json).toMatchObject({
      rateLimits: [],
      quotas: [
        { environment: "live", limit: 2, ...period },
        { environment: "test", limit: 2, ...period },
      ],
    });
    const use = await pollUntil("the use of the quota", () =>
      app.services.transact.asOperator((tx) =>
        findQuotaUse(tx, {
          tenant_id: tenantId,
          meter_id: "requests",
          environment: "live",
          now: new Date(),
        }),
      ),
    );
    expect(use).toMatchObject({ quota_limit: 2, period_start: start, period_end: end });
  });
});

it("a blocked tenant still reads and manages itself through the API, so that it can pay", async () => {
  const tenantId = await app.mintTenant("Debtor");
  const key = await app.mintKey(tenantId, ["keys:read"]);
  await move(tenantId, "blocked");
  expect((await app.call(key, "GET", `/v1/tenants/${tenantId}/keys`)).status).toBe(200);
});
