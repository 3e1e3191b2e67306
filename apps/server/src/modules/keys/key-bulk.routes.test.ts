import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let database: TestDatabase;
let app: TestApp;
let service: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  service = await app.mintServiceKey(["keys:write", "keys:read", "keys:verify"]);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const idOf = (number: number) => `key_${String(number).padStart(32, "0")}`;

describe("POST /v1/tenants/{tenantId}/keys/bulk", () => {
  it("stops every key of the request on every process, and answers the outcome of each", async () => {
    const tenantId = await app.mintTenant("Bulk");
    const at = `/v1/tenants/${tenantId}/keys`;
    const made = await Promise.all(
      ["one", "two"].map((name) => app.call(service, "POST", at, { name })),
    );
    const keys = made.map(({ json }) => ({ keyId: String(json.keyId), key: String(json.key) }));
    const codeOf = async ({ key }: { key: string }) =>
      (await app.call(service, "POST", "/v1/keys/verify", { key })).json.code;
    expect(await Promise.all(keys.map(codeOf))).toEqual(["VALID", "VALID"]);

    const keyIds = [...keys.map(({ keyId }) => keyId), idOf(7)];
    const reply = await app.call(service, "POST", `${at}/bulk`, {
      keyIds,
      change: { action: "disable" },
    });
    expect(reply).toMatchObject({
      status: 200,
      json: { changed: 2, unchanged: 0, refused: 1, items: [{}, {}, { keyId: idOf(7) }] },
    });
    await pollUntil(
      "both are refused",
      async () => (await Promise.all(keys.map(codeOf))).join() === "DISABLED,DISABLED",
    );
  });

  it("changes five hundred keys in one request, and refuses an invalid request as a whole", async () => {
    const tenantId = await app.mintTenant("Bounds");
    const at = `/v1/tenants/${tenantId}/keys`;
    const rows = Array.from({ length: 500 }, (_, index) => ({
      hash: index.toString(16).padStart(64, "0"),
      name: `Key ${String(index)}`,
    }));
    const imported = await app.call(service, "POST", `${at}/import`, { rows });
    const keyIds = (imported.json.items as { keyId: string }[]).map(({ keyId }) => keyId);
    expect(keyIds).toHaveLength(500);
    const send = (body: object) => app.call(service, "POST", `${at}/bulk`, body);
    const change = { action: "disable" };
    for (const [body, pointer] of [
      [{ keyIds: [...keyIds, idOf(1)], change }, "/keyIds"],
      [{ keyIds: [], change }, "/keyIds"],
      [{ keyIds: [idOf(1), idOf(1)], change }, "/keyIds"],
      [{ keyIds: ["key_1"], change }, "/keyIds/0"],
      [{ keyIds: [idOf(1)], change: { action: "delete" } }, "/change/action"],
      [{ keyIds: [idOf(1)], change: { action: "set_expiry" } }, "/change/expiresAt"],
      [
        { keyIds: [idOf(1)], change: { action: "set_expiry", expiresAt: "2001-01-01T00:00:00Z" } },
        "/change/expiresAt",
      ],
    ] as const) {
      const reply = await send(body);
      expect(reply).toMatchObject({ status: 400, json: { code: "INVALID_REQUEST" } });
      expect((reply.json.errors as { pointer: string }[])[0]?.pointer).toBe(pointer);
    }
    expect((await send({ keyIds, change })).json).toMatchObject({ changed: 500, refused: 0 });
    expect((await send({ keyIds, change })).json).toMatchObject({ changed: 0, unchanged: 500 });
  });

  it("needs keys:write, and hides other tenants", async () => {
    const tenantId = await app.mintTenant("Closed");
    const body = { keyIds: [idOf(1)], change: { action: "revoke" } };
    const reader = await app.mintServiceKey(["keys:read"]);
    const at = `/v1/tenants/${tenantId}/keys/bulk`;
    expect((await app.call(reader, "POST", at, body)).status).toBe(403);
    const other = await app.call(
      service,
      "POST",
      at.replace(tenantId, `ten_${"0".repeat(32)}`),
      body,
    );
    expect(other.status).toBe(404);
  });
});

describe("GET /v1/tenants/{tenantId}/key-scopes", () => {
  it("lists management scopes and those of the plan", async () => {
    const tenantId = await app.mintTenant("Scopes");
    const reply = await app.call(service, "GET", `/v1/tenants/${tenantId}/key-scopes`);
    expect(reply).toMatchObject({ status: 200, json: { custom: expect.any(Array) } });
    expect(reply.json.management).toContain("keys:read");
  });
});
