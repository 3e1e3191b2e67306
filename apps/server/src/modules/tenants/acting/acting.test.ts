import { acting as actingSchema } from "@turnpike/contract/acting";
import { type AuditEntry, auditEntry } from "@turnpike/contract/audit";
import { SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

const REASON = "The customer asked for a new rate limit.";

let database: TestDatabase;
let app: TestApp;
let operator: string;
let acme: TenantId;
let birch: TenantId;
let owner: string;
let keyId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  operator = await app.mintOperatorToken();
  acme = await app.mintTenant("Acme");
  birch = await app.mintTenant("Birch");
  owner = (await app.mintMember(acme, "owner")).token;
  const created = await app.call(owner, "POST", `/v1/tenants/${acme}/keys`, { name: "Worker" });
  keyId = created.json.keyId;
});
afterEach(() => app.call(operator, "POST", "/v1/acting/end", {}));
afterAll(async () => {
  await app.close();
  await database.close();
});

const start = (tenantId = acme, reason = REASON, token = operator) =>
  app.call(token, "POST", `/v1/tenants/${tenantId}/acting`, { reason });
const rename = (tenantId: TenantId, name: string) =>
  app.call(operator, "PATCH", `/v1/tenants/${tenantId}/keys/${keyId}`, { name });
const auditOf = async (tenantId: TenantId) => {
  const reply = await app.call(owner, "GET", `/v1/tenants/${tenantId}/audit?limit=100`);
  const entries: AuditEntry[] = reply.json.items.map((item: unknown) => auditEntry.parse(item));
  return entries;
};

describe("an operator in a tenant of others", () => {
  it("changes nothing of its members' without a reason, and acts as one of its admins with one", async () => {
    expect(await rename(acme, "Before")).toMatchObject({
      status: 403,
      json: { code: "INSUFFICIENT_SCOPE", requiredScope: "keys:write" },
    });
    for (const reason of ["", "too short", " ".repeat(20), "x".repeat(501)]) {
      expect((await start(acme, reason)).status, reason).toBe(400);
    }
    const started = await start();
    expect(started.status, started.text).toBe(201);
    const acting = actingSchema.parse(started.json);
    expect(Date.parse(acting.expiresAt) - Date.parse(acting.startedAt)).toBe(3_600_000);
    const renamed = await rename(acme, "After");
    expect(renamed.status, renamed.text).toBe(200);

    const [entry] = (await auditOf(acme)).filter(({ action }) => action === "key.updated");
    expect(entry).toMatchObject({
      actorType: "user",
      details: { acting: { actingId: acting.actingId, reason: REASON } },
    });
    const seen = await app.call(owner, "GET", `/v1/tenants/${acme}/notifications`);
    expect(seen.json.items[0]).toMatchObject({ kind: "acting.started" });
    expect(seen.json.items[0].body).toContain(REASON);
  });

  it("acts nowhere else meanwhile, and no longer once it is ended, or begun elsewhere", async () => {
    await start();
    const alert = { graceSeconds: 0 };
    expect(
      (await app.call(operator, "POST", `/v1/tenants/${birch}/keys/${keyId}/roll`, alert)).status,
    ).toBe(403);
    expect((await start(birch)).status).toBe(201);
    expect((await rename(acme, "Elsewhere")).status).toBe(403);
    expect((await app.call(operator, "GET", "/v1/acting")).json.acting).toMatchObject({
      tenantId: birch,
    });
    expect((await app.call(operator, "POST", "/v1/acting/end", {})).status).toBe(200);
    expect((await app.call(operator, "GET", "/v1/acting")).json).toEqual({ acting: null });
    const ended = (await auditOf(acme)).filter(({ action }) => action === "acting.ended");
    expect(ended.length).toBeGreaterThan(0);
  });

  it("is out of time after an hour", async () => {
    await start();
    expect((await rename(acme, "In time")).status).toBe(200);
    await database.sql`
      update acting_sessions set expires_at = now() - interval '1 second' where ended_at is null`;
    // As a change that another process made.
    await database.sql`
      insert into changes (kind, tenant_id, entity_id)
      select 'user', null, user_id from acting_sessions where ended_at is null`;
    await expect.poll(async () => (await rename(acme, "Late")).status).toBe(403);
    expect((await app.call(operator, "GET", "/v1/acting")).json).toEqual({ acting: null });
  });

  it("learns no secret, touches no money, makes no owner and ends nothing while acting", async () => {
    await start();
    const at = `/v1/tenants/${acme}`;
    const { json: members } = await app.call(owner, "GET", `${at}/members`);
    for (const [method, path, body] of [
      ["POST", `${at}/keys`, { name: "Secret" }],
      ["POST", `${at}/keys/${keyId}/roll`, { graceSeconds: 0 }],
      ["POST", `${at}/webhooks`, { url: "https://1.1.1.1/hook" }],
      ["PUT", `${at}/billing/spend-cap`, { amount: "100" }],
      ["POST", `${at}/delete`, { name: "Acme" }],
      ["POST", `${at}/sso/domains`, { domain: "acme.example" }],
      ["PUT", `${at}/members/${members.items[0].userId}`, { role: "owner" }],
    ] as const) {
      const reply = await app.call(operator, method, path, body);
      expect([method, path, reply.status, reply.json?.code]).toEqual([
        method,
        path,
        403,
        "INSUFFICIENT_SCOPE",
      ]);
    }
    const { json: keys } = await app.call(owner, "GET", `${at}/keys`);
    expect(keys.items).toHaveLength(1);
  });
});

describe("a role of an operator in a tenant of others", () => {
  const join = async (role: string) => {
    const me = (await app.call(operator, "GET", "/v1/me")).json.userId;
    return await app.call(operator, "PUT", `/v1/tenants/${acme}/members/${me}`, { role });
  };

  it("is not given by themselves, while acting or not, nor by an invitation to their own address", async () => {
    const refused = { status: 403, json: { code: "INSUFFICIENT_SCOPE" } };
    expect(await join("viewer")).toMatchObject(refused);
    await start();
    expect(await join("developer")).toMatchObject(refused);
    const { email } = (await app.call(operator, "GET", "/v1/me")).json;
    const invited = await app.call(operator, "POST", `/v1/tenants/${acme}/invitations`, {
      ...{ email: email.toUpperCase(), role: "developer" },
    });
    expect(invited).toMatchObject({ status: 400, json: { errors: [{ pointer: "/email" }] } });
  });

  it("lets them do what it allows, and is no way around acting with a reason", async () => {
    const me = (await app.call(operator, "GET", "/v1/me")).json.userId;
    const member = `/v1/tenants/${acme}/members/${me}`;
    const put = async (role: string) => {
      // Acme's owner cannot add people without an invitation: a program of the operator can.
      const reply = await app.call(await app.mintServiceKey(SCOPES), "PUT", member, { role });
      expect(reply.status, reply.text).toBe(200);
    };
    await put("viewer");
    await expect
      .poll(async () => (await app.call(operator, "GET", `/v1/tenants/${acme}`)).json.role)
      .toBe("viewer");
    expect((await rename(acme, "As a viewer")).json).toMatchObject({
      ...{ code: "INSUFFICIENT_SCOPE", requiredScope: "keys:write" },
    });
    expect((await start()).json).toMatchObject({ code: "CONFLICT" });
    expect(await join("developer")).toMatchObject({ status: 403 });
    await put("developer");
    await expect.poll(async () => (await rename(acme, "As a developer")).status).toBe(200);
    expect((await app.call(owner, "DELETE", member)).status).toBe(200);
  });
});

describe("to act in a tenant", () => {
  it("is for operators in the console alone: no member, stranger, key or program", async () => {
    const { token: admin } = await app.mintMember(acme, "admin");
    const callers = [
      owner,
      admin,
      await app.mintIdToken(),
      await app.mintKey(acme, ["keys:write"]),
      await app.mintServiceKey(["tenants:write", "keys:write"]),
    ];
    for (const caller of callers) {
      expect((await start(acme, REASON, caller)).json).toMatchObject({
        code: "INSUFFICIENT_SCOPE",
      });
    }
    const [rows] = await database.sql`
      select count(*)::int as open from acting_sessions where ended_at is null`;
    expect(rows).toEqual({ open: 0 });
  });

  it("needs a tenant that is there, in which the operator has no role", async () => {
    const missing = "ten_0199f3b0c1d27a4e8f60112233445566" as TenantId;
    expect((await start(missing)).status).toBe(404);
    const own = await app.call(operator, "POST", "/v1/tenants", { name: "Own" });
    expect((await start(own.json.tenantId)).json).toMatchObject({ code: "CONFLICT" });
  });
});
