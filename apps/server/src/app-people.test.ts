import { verifyTokenResponse } from "@turnpike/contract/auth";
import { ROLE_SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { offerSetupCode } from "#modules/identity/index.ts";

const ALONE = {
  secret: "of the installation, 32 characters long",
  hasOthers: () => Promise.resolve(false),
};

/** What a revoked right may take until it is gone everywhere. */

let database: TestDatabase;
let app: TestApp;
/** Another process on the same database. */
let other: TestApp;
beforeAll(async () => {
  database = await createTestDatabase();
  [app, other] = await Promise.all([startTestApp(database), startTestApp(database)]);
});
afterAll(async () => {
  await Promise.all([app.close(), other.close()]);
  await database.close();
});

const verify = (token: string) => app.call(undefined, "POST", "/auth/verify", { token });

/** People of two processes have tokens of two keys: this one is known to the other process too. */
async function mintMember(tenantId: TenantId) {
  const owner = await app.mintMember(tenantId, "owner");
  return { owner, ...(await app.mintMember(tenantId, "admin")) };
}

describe("POST /auth/verify", () => {
  it("makes the user at the first sight and answers the same afterwards", async () => {
    const token = await app.mintIdToken({ subject: "ada", email: "ada@example.com", name: "Ada" });
    const first = verifyTokenResponse.parse((await verify(token)).json);
    expect(first).toMatchObject({
      user: { email: "ada@example.com", emailVerified: true, name: "Ada", isOperator: false },
      tenants: [],
    });
    expect((await verify(token)).json).toEqual(first);
  });

  it("keeps the language of the first browser that names one, until the person chooses another", async () => {
    const token = await app.mintIdToken({ subject: "greta", email: "greta@example.com" });
    const signIn = (headers: Record<string, string>) =>
      fetch(`${app.url}/auth/verify`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ token }),
      });
    const readLanguage = async () =>
      (await app.call(token, "GET", "/v1/me/account")).json.language as unknown;
    await signIn({});
    expect(await readLanguage()).toBeNull();
    await signIn({ "accept-language": "fr, de;q=0.8" });
    expect(await readLanguage()).toBe("de");
    await signIn({ cookie: "language=en" });
    expect(await readLanguage()).toBe("de");
    const chosen = await app.call(token, "POST", "/v1/me/account/language", { language: "en" });
    expect(chosen.json).toMatchObject({ language: "en" });
  });

  it("lists the tenants of the person with the role, oldest first, an operator's own only", async () => {
    await app.mintTenant("Someone else's");
    const operator = await app.mintOperatorToken();
    for (const name of ["First", "Second"]) {
      expect((await app.call(operator, "POST", "/v1/tenants", { name })).status).toBe(201);
    }
    const reply = verifyTokenResponse.parse((await verify(operator)).json);
    expect(reply.user.isOperator).toBe(true);
    expect(reply.tenants.map(({ name, role }) => [name, role])).toEqual([
      ["First", "owner"],
      ["Second", "owner"],
    ]);
  });

  it("answers 401 to what is no good, says whether it has expired, and holds nothing secret", async () => {
    const expired = await verify(await app.mintIdToken({ issuedAgoMs: 60 * 60_000 }));
    expect(expired).toMatchObject({ status: 401, json: { code: "UNAUTHENTICATED" } });
    expect(expired.json.detail).toMatch(/expired/);
    for (const token of ["x", "a.b.c", await app.mintServiceKey(["keys:read"])]) {
      const reply = await verify(token);
      expect(reply).toMatchObject({ status: 401, json: { code: "UNAUTHENTICATED" } });
      expect(reply.text).not.toContain(token.length > 5 ? token : "secret");
    }
    const good = await app.mintIdToken();
    expect((await verify(good)).text).not.toContain(good.slice(0, 20));
  });

  it("takes the token from the body alone, not from a header", async () => {
    const token = await app.mintIdToken();
    const reply = await app.call("garbage", "POST", "/auth/verify", { token });
    expect(reply.status).toBe(200);
    expect((await app.call(token, "POST", "/auth/verify", {})).status).toBe(400);
    expect((await app.call(undefined, "GET", "/auth/verify")).status).toBe(405);
  });
});

describe("the setup code", () => {
  it("makes one operator, also when 50 people race for it over HTTP", async () => {
    const code = (await offerSetupCode(app.services, ALONE)) ?? expect.fail("no code");
    const tokens = await Promise.all(Array.from({ length: 50 }, () => app.mintIdToken()));
    const replies = await Promise.all(
      tokens.map((token) => app.call(token, "POST", "/v1/setup/claim", { code })),
    );
    const winners = replies.filter((reply) => reply.status === 200);
    expect(winners).toHaveLength(1);
    expect(winners[0]?.json.user.isOperator).toBe(true);
    const losers = replies.filter((reply) => reply.status !== 200);
    expect(new Set(losers.map((reply) => reply.json.code))).toEqual(
      new Set(["SETUP_CODE_INVALID"]),
    );
    const asMany = await Promise.all(tokens.map((token) => app.call(token, "GET", "/v1/outbox")));
    expect(asMany.filter((reply) => reply.status === 200)).toHaveLength(1);
  });

  it("is checked without being used up, and only the newest unclaimed one is valid", async () => {
    await database.sql`delete from setup_codes`;
    const check = async (code: string) =>
      (await app.call(undefined, "POST", "/v1/setup/check", { code })).json;
    const old = (await offerSetupCode(app.services, ALONE)) ?? expect.fail("no code");
    const code = (await offerSetupCode(app.services, ALONE)) ?? expect.fail("no code");
    expect([await check("guess"), await check(old)]).toEqual([{ valid: false }, { valid: false }]);
    expect([await check(code), await check(code)]).toEqual([{ valid: true }, { valid: true }]);
    const claim = await app.call(await app.mintIdToken(), "POST", "/v1/setup/claim", { code });
    expect(claim.status).toBe(200);
    expect(await check(code)).toEqual({ valid: false });
  });

  it("can be guessed at most sixty times an hour from one network", async () => {
    await database.sql`delete from setup_codes`;
    const own = await startTestApp(database);
    const code = (await offerSetupCode(own.services, ALONE)) ?? expect.fail("no code");
    const check = (guess: string) =>
      own.call(undefined, "POST", "/v1/setup/check", { code: guess });
    for (let index = 0; index < 60; index += 1) {
      expect((await check("guess")).status).toBe(200);
      // A right one takes no attempt.
      expect((await check(code)).status).toBe(index === 59 ? 429 : 200);
    }
    const refused = await check("guess");
    expect(refused).toMatchObject({ status: 429, json: { code: "TOO_MANY_ATTEMPTS" } });
    await own.close();
  });

  it("is worth nothing without a signed-in person", async () => {
    const reply = await app.call(undefined, "POST", "/v1/setup/claim", { code: "x" });
    expect(reply).toMatchObject({ status: 401, json: { code: "UNAUTHENTICATED" } });
    const registered = await app.mintIdToken();
    expect((await app.call(registered, "GET", "/v1/service-keys")).status).toBe(403);
  });
});

describe("a change of who may do what", () => {
  it("acts on every process: a removed member gets 404", async () => {
    const tenantId = await app.mintTenant("Fast");
    const { owner, token, userId } = await mintMember(tenantId);
    const path = `/v1/tenants/${tenantId}/members`;
    expect((await app.call(token, "GET", path)).status).toBe(200);
    await app.call(owner.token, "DELETE", `${path}/${userId}`);
    const isGone = async () => (await app.call(token, "GET", path)).status === 404;
    await pollUntil("the member is gone", isGone);
  });

  it("is heard by a process that did not make it", async () => {
    const tenantId = await app.mintTenant("Far");
    await app.mintMember(tenantId, "owner");
    const { token, userId } = await other.mintMember(tenantId, "admin");
    const service = await app.mintServiceKey([...ROLE_SCOPES.admin]);
    const path = `/v1/tenants/${tenantId}/members`;
    expect((await other.call(token, "GET", path)).status).toBe(200);
    await app.call(service, "PUT", `${path}/${userId}`, { role: "viewer" });
    const isDemoted = async () =>
      (await other.call(token, "GET", `/v1/tenants/${tenantId}/audit`)).status === 403;
    await pollUntil("the role is heard of", isDemoted);
    await app.call(service, "DELETE", `${path}/${userId}`);
    const isGone = async () => (await other.call(token, "GET", path)).status === 404;
    await pollUntil("the removal is heard of", isGone);
  });

  it("closes a stream that the person had open", async () => {
    const tenantId = await app.mintTenant("Stream");
    const { owner, token, userId } = await mintMember(tenantId);
    const path = `/v1/tenants/${tenantId}/documents/settings/changes`;
    const open = (credential: string) =>
      fetch(`${app.url}${path}`, { headers: { authorization: `Bearer ${credential}` } });
    const [removed, kept] = await Promise.all([open(token), open(owner.token)]);
    expect([removed.status, kept.status]).toEqual([200, 200]);
    const keptReader = kept.body?.getReader();
    const closed = removed.text();
    await app.call(owner.token, "DELETE", `/v1/tenants/${tenantId}/members/${userId}`);
    await closed;
    const write = await app.call(
      owner.token,
      "PUT",
      `/v1/tenants/${tenantId}/documents/settings/a`,
      { body: { still: "open" } },
    );
    expect(write.status).toBe(200);
    const chunk = await keptReader?.read();
    expect(new TextDecoder().decode(chunk?.value)).toContain("still");
    await keptReader?.cancel();
    expect((await open(token)).status).toBe(404);
  });
});

describe("what people do to themselves", () => {
  it("is in force in their very next request: founding, joining, leaving, claiming", async () => {
    for (let round = 0; round < 10; round += 1) {
      const token = await app.mintIdToken();
      await verify(token);
      const made = await app.call(token, "POST", "/v1/tenants", { name: "Now" });
      const path = `/v1/tenants/${made.json.tenantId}`;
      expect((await app.call(token, "GET", path)).json.role).toBe("owner");
      const guest = await app.mintIdToken();
      const { user } = (await verify(guest)).json;
      await app.call(token, "POST", `${path}/invitations`, { email: user.email, role: "admin" });
      const [mail] = await database.sql<{ body: string }[]>`
        select body from mails where recipient = ${user.email}`;
      const invitation = /invitation=([\w-]+)/.exec(mail?.body ?? "")?.[1];
      expect((await app.call(guest, "GET", path)).status).toBe(404);
      await app.call(guest, "POST", "/v1/invitations/accept", { token: invitation });
      expect((await app.call(guest, "GET", path)).json.role).toBe("admin");
      await app.call(guest, "DELETE", `${path}/members/${user.userId}`);
      expect((await app.call(guest, "GET", path)).status).toBe(404);
    }
  });
});

describe("what people do", () => {
  it("is in the audit trail under their own id", async () => {
    const token = await app.mintIdToken();
    const { user } = verifyTokenResponse.parse((await verify(token)).json);
    const made = await app.call(token, "POST", "/v1/tenants", { name: "Traced" });
    const path = `/v1/tenants/${made.json.tenantId}`;
    expect((await app.call(token, "POST", `${path}/keys`, { name: "K" })).status).toBe(201);
    const trail = (await app.call(token, "GET", `${path}/audit`)).json.items;
    expect(trail.map((entry: { action: string }) => entry.action)).toEqual([
      "key.created",
      "member.added",
      "tenant.created",
    ]);
    for (const entry of trail) {
      expect(entry).toMatchObject({ actorType: "user", actorId: user.userId });
    }
  });

  it("is what the role allows: a developer's key holds no more than the developer", async () => {
    const tenantId = await app.mintTenant("Keys");
    const { token } = await app.mintMember(tenantId, "developer");
    const create = (scopes: string[]) =>
      app.call(token, "POST", `/v1/tenants/${tenantId}/keys`, { name: "K", scopes });
    expect((await create(["usage:read"])).status).toBe(201);
    expect(await create(["audit:read"])).toMatchObject({
      status: 403,
      json: { code: "INSUFFICIENT_SCOPE" },
    });
  });
});

describe("an invitation", () => {
  it("brings a person in, from the mail to the tenant", async () => {
    const tenantId = await app.mintTenant("Door");
    const owner = await app.mintMember(tenantId, "owner");
    const sent = await app.call(owner.token, "POST", `/v1/tenants/${tenantId}/invitations`, {
      email: "Guest@Example.com",
      role: "developer",
    });
    expect(sent, sent.text).toMatchObject({ status: 201, json: { email: "guest@example.com" } });
    const [mail] = await database.sql<{ body: string }[]>`
      select body from mails where recipient = 'guest@example.com'`;
    const token = /http:\/\/console\.test\/register#invitation=([\w-]{43})\n/.exec(
      mail?.body ?? "",
    )?.[1];
    const preview = await app.call(undefined, "POST", "/v1/invitations/preview", { token });
    expect(preview.json).toEqual({
      tenantName: "Door",
      email: "guest@example.com",
      role: "developer",
    });
    const guest = await app.mintIdToken({ email: "guest@example.com" });
    const accepted = await app.call(guest, "POST", "/v1/invitations/accept", { token });
    expect(accepted, accepted.text).toMatchObject({
      status: 200,
      json: { tenant: { tenantId, role: "developer" } },
    });
    const log = app.logged();
    expect(log).not.toContain(token);
  });

  it("is guessed at no more than sixty times from one network", async () => {
    const own = await startTestApp(database);
    const guess = () => own.call(undefined, "POST", "/v1/invitations/preview", { token: "guess" });
    const replies = [];
    for (let index = 0; index < 61; index += 1) {
      replies.push(await guess());
    }
    expect(replies.slice(0, 60).every((reply) => reply.status === 410)).toBe(true);
    expect(replies.at(-1)).toMatchObject({ status: 429, json: { code: "TOO_MANY_ATTEMPTS" } });
    expect(Number(replies.at(-1)?.headers.get("retry-after"))).toBeGreaterThan(0);
    await own.close();
  });
});
