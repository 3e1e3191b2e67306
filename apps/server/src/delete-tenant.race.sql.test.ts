import type { EventReceipt } from "@turnpike/contract/events";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { type ApiReply, startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reconcile } from "#modules/metering/index.ts";

const METER = {
  meterId: "tokens",
  name: "Tokens",
  unit: "token",
  aggregation: "sum",
  eventType: "llm.call",
  valuePointer: "/tokens",
};
/** Calls and events of each sender that are counted before the tenant is deleted: leases are held by then. */
const BEFORE = 5;

let database: TestDatabase;
/** Two processes on one database. */
let apps: TestApp[];
let operator: string;
beforeAll(async () => {
  database = await createTestDatabase();
  const first = await startTestApp(database);
  apps = [first, await startTestApp(database)];
  operator = await first.mintServiceKey([
    "tenants:read",
    "tenants:write",
    "tenants:delete",
    "keys:read",
    "keys:write",
    "catalog:write",
    "events:write",
    "usage:read",
  ]);
  expect((await first.call(operator, "POST", "/v1/meters", METER)).status).toBe(200);
});
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()));
  await database.close();
});

const gone = (reply: Pick<ApiReply, "status">) => reply.status === 401;

async function callGateway(app: TestApp, key: string): Promise<number> {
  const reply = await fetch(`${app.gatewayUrl}/things`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await reply.body?.cancel();
  return reply.status;
}

/** Calls one after the other until the key is refused. @returns How many were let through. */
async function callUntilRefused(app: TestApp, key: string, onCall: () => void): Promise<number> {
  let passed = 0;
  for (;;) {
    const status = await callGateway(app, key);
    if (gone({ status })) {
      return passed;
    }
    // A fast machine may reach the rate limit of the plan.
    if (status !== 429) {
      expect(status).toBe(200);
      passed += 1;
      onCall();
    }
  }
}

let serial = 0;
/** Reports usage until it is rejected. @returns The units that were accepted. */
async function reportUntilRejected(
  app: TestApp,
  tenantId: TenantId,
  onEvent: () => void,
): Promise<number> {
  let accepted = 0;
  for (;;) {
    serial += 1;
    const tokens = (serial % 7) + 1;
    const id = `${tenantId} ${String(serial)}`;
    const response = await fetch(`${app.url}/v1/events`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${operator}`,
        "content-type": "application/cloudevents-batch+json",
      },
      body: JSON.stringify([
        {
          ...{ specversion: "1.0", id, source: "/race", type: "llm.call", subject: tenantId },
          data: { tokens },
        },
      ]),
    });
    // A problem when none was taken: with the same results.
    const { results } = (await response.json()) as EventReceipt;
    const [result] = results;
    if (result?.status === "rejected") {
      expect(result.code).toBe("UNKNOWN_SUBJECT");
      return accepted;
    }
    expect(result?.status).toBe("accepted");
    accepted += tokens;
    onEvent();
  }
}

async function readLedger(tenantId: TenantId): Promise<{ calls: number; tokens: number }> {
  const [row] = await database.sql<{ calls: number; tokens: number }[]>`
    select
      coalesce(sum(quantity) filter (where meter_id = 'requests'), 0)::int as calls,
      coalesce(sum(quantity) filter (where meter_id = 'tokens'), 0)::int as tokens
    from ledger_entries where tenant_id = ${tenantId}`;
  return row ?? { calls: 0, tokens: 0 };
}

async function countHeldUnits(tenantId: TenantId): Promise<number> {
  const [row] = await database.sql<{ held: number }[]>`
    select coalesce(sum(remaining), 0)::int as held from leases where tenant_id = ${tenantId}`;
  return row?.held ?? 0;
}

/** Deletes it while keys of it are called and usage of it is reported on both processes. */
async function deleteUnderLoad(planId: string) {
  const [first, second] = apps;
  if (first === undefined || second === undefined) {
    throw new Error("There are two processes.");
  }
  const name = `Under load, ${planId}`;
  const made = await first.call(operator, "POST", "/v1/tenants", { name, planId });
  const tenantId = made.json.tenantId as TenantId;
  const keys = await Promise.all([1, 2, 3].map(() => first.mintKey(tenantId, [])));
  const warm = Promise.withResolvers<void>();
  let counted = 0;
  const onOne = () => {
    counted += 1;
    if (counted === BEFORE * 8) {
      warm.resolve();
    }
  };
  const calls = apps.flatMap((app) => keys.map((key) => callUntilRefused(app, key, onOne)));
  const reports = apps.map((app) => reportUntilRejected(app, tenantId, onOne));
  await Promise.race([warm.promise, Promise.all([...calls, ...reports])]);
  const deleted = await second.call(operator, "POST", `/v1/tenants/${tenantId}/delete`, { name });
  expect(deleted.status, deleted.text).toBe(204);
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  return {
    name,
    tenantId,
    keys,
    passed: sum(await Promise.all(calls)),
    accepted: sum(await Promise.all(reports)),
  };
}

describe("a tenant that is deleted while it is used", () => {
  it.each(["scale", "limited"])(
    "loses nothing of what it used, on a plan that is %s: drift 0, leases given back, keys refused on every process",
    async (plan) => {
      const planId = plan === "limited" ? "race-limited" : plan;
      if (plan === "limited") {
        await database.sql`
          with terms as (
            select jsonb_set(terms, '{quotas}', '[{"meter": "requests", "limit": 1000000, "kind": "hard"}]') as terms
            from plan_versions where plan_id = 'scale' and version = 1
          ), plan as (
            insert into plans (plan_id, latest_version, created_at) values (${planId}, 1, now())
          )
          insert into plan_versions (plan_id, version, terms, published_at)
          select ${planId}, 1, terms, now() from terms`;
      }
      const { tenantId, keys, passed, accepted } = await deleteUnderLoad(planId);
      expect(passed).toBeGreaterThan(0);
      expect(accepted).toBeGreaterThan(0);
      await pollUntil("what was let through is in the ledger", async () => {
        const ledger = await readLedger(tenantId);
        expect(ledger.calls).toBeLessThanOrEqual(passed);
        return ledger.calls === passed;
      });
      expect(await readLedger(tenantId)).toEqual({ calls: passed, tokens: accepted });
      await pollUntil("leases are given back", async () => (await countHeldUnits(tenantId)) === 0);
      const [app] = apps;
      const found = await reconcile(app?.services ?? expect.fail(), OPERATOR_CONTEXT);
      expect(found).toMatchObject({ drift: 0, findings: [], forfeited: "0" });

      const restored = await app?.call(operator, "POST", `/v1/deleted-tenants/${tenantId}/restore`);
      expect(restored).toMatchObject({ status: 200, json: { tenantId } });
      await pollUntil("the tenant is back on every process", async () => {
        const replies = await Promise.all(
          apps.map((one) => one.call(operator, "GET", `/v1/tenants/${tenantId}/limits`)),
        );
        return replies.every((reply) => reply.status === 200);
      });
      for (const one of apps) {
        for (const key of keys) {
          expect(await callGateway(one, key)).toBe(401);
        }
      }
      expect(await readLedger(tenantId)).toEqual({ calls: passed, tokens: accepted });
      expect(await reconcile(app?.services ?? expect.fail(), OPERATOR_CONTEXT)).toMatchObject({
        drift: 0,
      });
    },
  );

  it("is 404 to its owners on every process, who then have no tenant and found another", async () => {
    const tenantId = (await apps[0]?.mintTenant("Left")) ?? expect.fail();
    const path = `/v1/tenants/${tenantId}`;
    // Each process of the test trusts tokens of its own.
    const owners = await Promise.all(
      apps.map(async (app) => ({ app, ...(await app.mintMember(tenantId, "owner")) })),
    );
    const [first] = owners;
    const { token, app } = first ?? expect.fail();
    expect((await app.call(token, "POST", `${path}/delete`, { name: "Left" })).status).toBe(204);
    for (const owner of owners) {
      const get = (place: string) => owner.app.call(owner.token, "GET", place);
      for (const place of [
        "",
        "/keys",
        "/members",
        "/audit",
        "/usage?measures=requests",
        "/webhooks",
      ]) {
        await pollUntil(`${place} is gone`, async () => (await get(path + place)).status === 404);
      }
      expect((await get("/v1/tenants")).json.items).toEqual([]);
    }
    const again = await app.call(token, "POST", "/v1/tenants", { name: "Left" });
    expect(again).toMatchObject({ status: 201, json: { slug: "left", role: "owner" } });
  });
});
