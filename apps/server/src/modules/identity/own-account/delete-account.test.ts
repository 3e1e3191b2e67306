import { SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pruneExpired } from "../provider/prune-expired.ts";

let database: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  database = await createTestDatabase();
  // Its people are those of a provider elsewhere: no accounts are kept here.
  app = await startTestApp(database);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

async function userOf(userId: UserId) {
  const [row] = await database.sql<
    { subject: string; email: string | null; name: string | null; deleted_at: Date | null }[]
  >`select subject, email, name, deleted_at from users where user_id = ${userId}`;
  return row;
}

const confirmationOf = async (token: string): Promise<string> =>
  (await app.call(token, "GET", "/v1/me/account/deletion")).json.confirmation;

async function putDocument(token: string, tenantId: TenantId, collection: string): Promise<void> {
  const path = `/v1/tenants/${tenantId}/documents/${collection}/one`;
  expect((await app.call(token, "PUT", path, { body: { seen: true } })).status).toBe(200);
}

describe("the deletion of an account", () => {
  it("waits while a tenant would lose its only owner, and names the tenant", async () => {
    const tenantId = await app.mintTenant("Lonely Heron");
    const { token, userId } = await app.mintMember(tenantId, "owner");
    expect((await app.call(token, "GET", "/v1/me/account/deletion")).json).toMatchObject({
      needsPassword: false,
      memberships: 1,
      soleOwnerOf: [{ tenantId, name: "Lonely Heron" }],
    });
    const confirmation = await confirmationOf(token);
    const refused = await app.call(token, "POST", "/v1/me/account/delete", { confirmation });
    expect(refused).toMatchObject({ status: 409, json: { code: "LAST_OWNER" } });
    expect(refused.json.detail).toContain("Lonely Heron");
    expect((await userOf(userId))?.deleted_at).toBeNull();

    expect(
      (await app.call(token, "POST", "/v1/me/account/delete", { confirmation: "x" })).status,
    ).toBe(400);
  });

  it("takes memberships, rights and what was theirs alone, ends tokens, and keeps the trail without a name", async () => {
    const tenantId = await app.mintTenant("Grey Heron");
    const owner = await app.mintMember(tenantId, "owner");
    const { token, userId } = await app.mintMember(tenantId, "owner");
    const own = `my-views-${userId.slice(userId.indexOf("_") + 1)}`;
    await putDocument(token, tenantId, own);
    await putDocument(token, tenantId, "shared-views");
    const exported = (await app.call(token, "GET", "/v1/me/account/export")).json;
    expect(exported).toMatchObject({
      memberships: [{ tenantId, role: "owner" }],
      records: { documents: [{ collection: own, body: { seen: true } }] },
      cutKinds: [],
    });
    const confirmation = await confirmationOf(token);
    expect((await app.call(token, "POST", "/v1/me/account/delete", { confirmation })).status).toBe(
      204,
    );

    await pollUntil("the token is refused", async () => {
      return (await app.call(token, "GET", "/v1/me")).status === 401;
    });
    const before = await userOf(userId);
    expect(before).toMatchObject({ email: null, name: null });
    const members = await app.call(owner.token, "GET", `/v1/tenants/${tenantId}/members`);
    expect(members.json.items.map((one: { userId: string }) => one.userId)).toEqual([owner.userId]);
    const documents = await database.sql`
      select collection from documents where tenant_id = ${tenantId}`;
    expect(documents.map((row) => row["collection"])).toEqual(["shared-views"]);
    const trail = await database.sql`
      select action, details from audit_entries where actor_id = ${userId} order by audit_id`;
    expect(trail.map((row) => row["action"])).toEqual(
      expect.arrayContaining(["member.removed", "account.deleted"]),
    );
    expect(JSON.stringify(trail)).not.toContain(confirmation);

    // A day later no token from before is valid: the provider's name for the person goes, and a new one makes someone new.
    const dayLater = new Date(Date.now() + 26 * 60 * 60 * 1_000);
    const { transact } = app.services;
    await pruneExpired({ transact, clock: { now: () => dayLater, monotonicMs: () => 0 } });
    expect((await userOf(userId))?.subject).toBe(userId);
    // Tokens of the second of the deletion are refused, so this one is from a later one, within what clocks may differ.
    const again = await app.mintIdToken({ subject: before?.subject ?? "", issuedAgoMs: -2_000 });
    const back = (await app.call(again, "GET", "/v1/me")).json;
    expect(back.userId).toMatch(/^usr_/);
    expect(back.userId).not.toBe(userId);
  });

  it("leaves no member without an account, also of those who join at that moment", async () => {
    const tenantId = await app.mintTenant("Quick Heron");
    const staying = await app.mintMember(tenantId, "owner");
    const { token, userId } = await app.mintMember(await app.mintTenant("Other"), "viewer");
    const confirmation = await confirmationOf(token);
    const remove = () => app.call(token, "POST", "/v1/me/account/delete", { confirmation });
    const add = `/v1/tenants/${tenantId}/members/${userId}`;
    const service = await app.mintServiceKey(SCOPES);
    const isWaiting = async () => {
      const rows = await database.sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      return rows.length > 0;
    };

    let deleting: Promise<{ status: number }> | undefined;
    await database.sql.transaction(async (tx) => {
      await tx`
        insert into members (tenant_id, user_id, role, created_at)
        select ${tenantId}, user_id, 'viewer', now() from users where user_id = ${userId} for share`;
      deleting = remove();
      await pollUntil("the deletion waits", isWaiting);
    });
    expect(await deleting).toMatchObject({ status: 409, json: { code: "CONFLICT" } });
    expect((await userOf(userId))?.deleted_at).toBeNull();
    const left = await app.call(staying.token, "DELETE", add);
    expect(left.status, left.text).toBe(200);

    let adding: Promise<{ status: number }> | undefined;
    await database.sql.transaction(async (tx) => {
      await tx`update users set deleted_at = now() where user_id = ${userId}`;
      adding = app.call(service, "PUT", add, { role: "viewer" });
      await pollUntil("the addition waits", isWaiting);
    });
    expect(await adding).toMatchObject({ status: 404, json: { code: "RESOURCE_NOT_FOUND" } });
  });

  it("needs a token of the last minutes where another provider keeps the password, and no program", async () => {
    const old = await app.mintIdToken({ issuedAgoMs: 10 * 60_000 });
    const confirmation = await confirmationOf(old);
    expect(await app.call(old, "POST", "/v1/me/account/delete", { confirmation })).toMatchObject({
      status: 410,
      json: { code: "SIGN_IN_EXPIRED" },
    });
    const key = await app.mintServiceKey(["users:write"]);
    expect((await app.call(key, "POST", "/v1/me/account/delete", { confirmation })).status).toBe(
      403,
    );
  });
});
