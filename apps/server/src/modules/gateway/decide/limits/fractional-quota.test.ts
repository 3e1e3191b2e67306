import { verifyKeyResponse } from "@turnpike/contract/keys";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCatalog } from "#modules/catalog/index.ts";

let database: TestDatabase;
let app: TestApp;
let serviceKey: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  serviceKey = await app.mintServiceKey([
    "keys:verify",
    "keys:write",
    "tenants:write",
    "events:write",
    "usage:read",
  ]);
  await applyCatalog(app.services, OPERATOR_CONTEXT, {
    meters: [
      {
        meterId: "gigabytes",
        name: "Gigabytes",
        unit: "GB",
        aggregation: "sum",
        eventType: "transfer",
        valuePointer: "/gigabytes",
      },
    ],
    plans: [1, 10, 1_000_000].map((limit) => ({
      planId: `of-${String(limit)}`,
      name: "Plan",
      description: "",
      currency: "EUR",
      pricePerMonth: "5",
      visibility: "public" as const,
      rateLimits: [],
      quotas: [{ meter: "gigabytes", limit, kind: "hard" as const }],
    })),
  });
});
afterAll(async () => {
  await app.close();
  await database.close();
});

async function useUp(limit: number, used: readonly string[]) {
  const tenantId = await app.mintTenant("Acme");
  const path = `/v1/tenants/${tenantId}`;
  const planId = `of-${String(limit)}`;
  expect((await app.call(serviceKey, "PATCH", path, { planId })).status).toBe(200);
  const events = used.map((gigabytes, at) => ({
    specversion: "1.0",
    id: `${tenantId}-${String(at)}`,
    source: "/test",
    type: "transfer",
    subject: tenantId,
    data: { gigabytes },
  }));
  const reported = await fetch(`${app.url}/v1/events`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${serviceKey}`,
      "content-type": "application/cloudevents-batch+json",
    },
    body: JSON.stringify(events),
  });
  expect(reported.status).toBe(200);
  const key = await app.mintKey(tenantId, []);
  await app.hearChanges();
  return { key, path };
}

describe("a quota of which a fraction is left", () => {
  it.each([
    [10, ["9.7"], "0.3", 0.3],
    [10, ["3.3", "3.2", "3.2"], "0.3", 0.3],
    [1, ["0.9999999"], "0.0000001", 1e-7],
    [1, ["0.999999999999"], "0.000000000001", 0],
    [1_000_000, ["999999.7"], "0.3", 0.3],
  ])("of %d with %j used is reported without noise", async (limit, used, exact, recorded) => {
    const { key, path } = await useUp(limit, used);
    const { json } = await app.call(serviceKey, "GET", `${path}/limits`);
    expect(json.quotas).toContainEqual(
      expect.objectContaining({ meter: "gigabytes", environment: "live", remaining: exact }),
    );
    const reply = await app.call(serviceKey, "POST", "/v1/keys/verify", {
      key,
      meter: "gigabytes",
      cost: 0,
    });
    const verdict = verifyKeyResponse.parse(reply.json);
    expect(verdict).toMatchObject({ code: "QUOTA_EXCEEDED", limits: [{ remaining: recorded }] });
    expect(verdict.detail).toMatch(
      recorded === 0 ? /is used up\.$/ : /has less than one unit left\.$/,
    );
  });
});
