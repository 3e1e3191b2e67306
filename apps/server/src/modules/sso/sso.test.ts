import type { SsoConnectionInput } from "@turnpike/contract/sso";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OAuth2Server } from "oauth2-mock-server";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memberKeys } from "#modules/keys/index.ts";
import { createGuardedOutbound } from "#platform/guarded-outbound.ts";
import { createSealer } from "#platform/sealer.ts";
import {
  type IdentityFixture,
  newCredentials,
  startIdentityProvider,
  type TestBrowser,
} from "../identity/testing/identity-provider.fixture.ts";
import { addDomain, removeDomain, verifyDomain } from "./manage-domains.ts";
import { putConnection } from "./put-connection.ts";
import { removeConnection } from "./remove-connection.ts";
import { createSingleSignOn } from "./single-sign-on.ts";
import type { SsoDeps } from "./sso.ports.ts";
import {
  type Assertion,
  createSamlProvider,
  type SamlProvider,
} from "./testing/saml-provider.fixture.ts";

let database: TestDatabase;
let identity: IdentityFixture;
let deps: SsoDeps;
let oidc: OAuth2Server;
let saml: SamlProvider;
/** What the provider says of the next person. */
let person: Record<string, unknown>;
/** The TXT records of the world. */
const records = new Map<string, string[]>();

const CONTEXT: CallContext = { actor: { type: "operator", id: "cli" }, requestId: "req_test" };

beforeAll(async () => {
  database = await createTestDatabase();
  oidc = new OAuth2Server();
  await oidc.issuer.keys.generate("RS256");
  await oidc.start(0, "127.0.0.1");
  oidc.service.on("beforeTokenSigning", (token: { payload: Record<string, unknown> }) => {
    Object.assign(token.payload, person);
  });
  identity = await startIdentityProvider(database, {}, (services, consoleUrl) => {
    deps = {
      ...services,
      consoleUrl,
      isOffered: true,
      operators: ["listed@listed.example"],
      providers: createGuardedOutbound({ allowPrivate: ["127.0.0.1", "localhost"] }),
      sealer: createSealer("a secret of sign-ins that only tests use", "client secrets"),
      findTxtRecords: (name) => Promise.resolve(records.get(name) ?? []),
      memberKeys,
      agents: { endAgentsOf: () => Promise.resolve() },
    };
    return createSingleSignOn(deps);
  });
  saml = await createSamlProvider(deps.clock.now());
});
afterAll(async () => {
  await identity.close();
  await oidc.stop();
  await database.close();
});

let made = 0;

/** A tenant with a proven domain that no other test has. */
async function openTenant(): Promise<{ tenantId: TenantId; domain: string; slug: string }> {
  made += 1;
  const tenantId = deps.newId("tenant");
  const [domain, slug] = [`customer${String(made)}.example`, `customer-${String(made)}`];
  const now = deps.clock.now();
  await database.sql`
    insert into tenants (tenant_id, name, slug, created_by, created_at, updated_at)
    values (${tenantId}, ${slug}, ${slug}, 'operator:cli', ${now}, ${now})`;
  await proveDomain(tenantId, domain);
  return { tenantId, domain, slug };
}

async function proveDomain(tenantId: TenantId, domain: string): Promise<void> {
  const { record } = await addDomain(deps, CONTEXT, { tenantId, domain });
  records.set(record.name, ["v=spf1 -all", record.value]);
  await verifyDomain(deps, CONTEXT, { tenantId, domain });
}

const settings = {
  name: "Customer login",
  defaultRole: "developer",
  enabled: true,
  required: false,
} as const;

function oidcConnection(changes: Partial<SsoConnectionInput> = {}): SsoConnectionInput {
  return {
    protocol: "oidc",
    ...settings,
    issuer: oidc.issuer.url ?? "",
    clientId: "turnpike",
    clientSecret: "s3cret",
    ...changes,
  } as SsoConnectionInput;
}

function samlConnection(changes: Partial<SsoConnectionInput> = {}): SsoConnectionInput {
  return {
    protocol: "saml",
    ...settings,
    metadata: saml.metadata(),
    ...changes,
  } as SsoConnectionInput;
}

/** Leaves for the provider. @returns Where it is asked, and the sign-in that it answers. */
async function leave(browser: TestBrowser, by: { email: string } | { tenant: string }) {
  const { request, uid } = await browser.begin();
  const reply = await browser.call("POST", `/idp/interaction/${uid}/sso`, { json: by });
  expect(reply.status, reply.text).toBe(200);
  return { request, uid, url: new URL(String(reply.json.redirectTo)) };
}

type Left = Awaited<ReturnType<typeof leave>>;

async function finish({ request }: Left, landed: URL): Promise<openid.IDToken> {
  const tokens = await openid.authorizationCodeGrant(await identity.oidc(), landed, {
    pkceCodeVerifier: request.verifier,
    expectedState: request.state,
    expectedNonce: request.nonce,
    idTokenExpected: true,
  });
  return tokens.claims() as openid.IDToken;
}

/** A second factor of the person's own, as far as single sign-on cares. */
async function giveFactor(accountId: string): Promise<void> {
  await database.sql`
    insert into account_recovery_codes (account_id, code_hash, created_at)
    values (${accountId}, ${Buffer.from(accountId)}, now())`;
  await database.sql`
    update accounts set second_factor_since = now() where account_id = ${accountId}`;
}

async function countFactors(accountId: string): Promise<number> {
  const rows = await database.sql`
    select 1 from account_recovery_codes join accounts using (account_id)
    where account_id = ${accountId} and second_factor_since is not null`;
  return rows.length;
}

/** Signs in by OpenID Connect as the person that the provider names next. */
async function signIn(by: { email: string } | { tenant: string }, browser = identity.browser()) {
  const left = await leave(browser, by);
  const landed = await browser.follow(left.url);
  return landed.searchParams.has("code") ? await finish(left, landed) : landed;
}

async function roleOf(tenantId: TenantId, accountId: string): Promise<string | undefined> {
  const [row] = await database.sql<{ role: string }[]>`
    select role from members join users using (user_id)
    where tenant_id = ${tenantId} and issuer = 'builtin' and subject = ${accountId}`;
  return row?.role;
}

async function failureOf(tenantId: TenantId): Promise<string | null | undefined> {
  const [row] = await database.sql<{ last_failure: string | null }[]>`
    select last_failure from sso_connections where tenant_id = ${tenantId}`;
  return row?.last_failure;
}

describe("a tenant's single sign-on by OpenID Connect", () => {
  it("signs a person in who is new, and makes them a member with the role of new ones", async () => {
    const { tenantId, domain, slug } = await openTenant();
    await putConnection(deps, CONTEXT, { tenantId, connection: oidcConnection() });
    person = { sub: "u1", email: `Ann@${domain}`, name: "Ann Example" };
    const claims = await signIn({ email: `ann@${domain}` });
    expect(claims).toMatchObject({
      email: `ann@${domain}`,
      email_verified: true,
      name: "Ann Example",
    });
    const { sub } = claims as openid.IDToken;
    expect(await roleOf(tenantId, sub)).toBe("developer");

    // With another address, the person of the same subject stays the same.
    person = { sub: "u1", email: `ann.new@${domain}`, name: "Ann" };
    expect(await signIn({ tenant: slug })).toMatchObject({ sub, email: `ann.new@${domain}` });
    const entries = await database.sql`
      select action from audit_entries where tenant_id = ${tenantId} and action = 'member.added'`;
    expect(entries).toHaveLength(1);
  });

  it("links the account that has the address, and ends what an unproven one had opened", async () => {
    const { tenantId, domain } = await openTenant();
    await putConnection(deps, CONTEXT, { tenantId, connection: oidcConnection() });
    const squatter = { ...newCredentials(), email: `bob@${domain}` };
    const stranger = identity.browser();
    const { claims, tokens } = await stranger.register(squatter);
    await giveFactor(claims.sub);
    person = { sub: "bob", email: `bob@${domain}` };
    expect(await signIn({ email: `bob@${domain}` })).toMatchObject({ sub: claims.sub });
    expect(await countFactors(claims.sub)).toBe(0);
    // The stranger's password and session are worth nothing now.
    const { uid } = await stranger.begin();
    const refused = await stranger.call("POST", `/idp/interaction/${uid}/login`, {
      json: { email: squatter.email, password: squatter.password },
    });
    expect(refused.json).toMatchObject({ code: "INVALID_CREDENTIALS" });
    await expect(
      openid.refreshTokenGrant(await identity.oidc(), tokens.refresh_token ?? ""),
    ).rejects.toMatchObject({ error: "invalid_grant" });
  });

  it("does not get past a person's own second factor into other tenants, but into its own", async () => {
    const { tenantId, domain } = await openTenant();
    await putConnection(deps, CONTEXT, { tenantId, connection: oidcConnection() });
    const carol = { ...newCredentials(), email: `carol@${domain}` };
    const { claims } = await identity.browser().register(carol);
    await giveFactor(claims.sub);
    await database.sql`update accounts set email_verified = true where account_id = ${claims.sub}`;
    const userId = deps.newId("user");
    const other = await openTenant();
    await database.sql`
      insert into users (user_id, issuer, subject, created_at, updated_at)
      values (${userId}, 'builtin', ${claims.sub}, now(), now())`;
    await database.sql`
      insert into members (tenant_id, user_id, role, created_at)
      values (${other.tenantId}, ${userId}, 'developer', now())`;
    person = { sub: "carol", email: carol.email };
    const refused = (await signIn({ email: carol.email })) as URL;
    expect(refused.searchParams.get("error")).toBe("sso_protected");
    expect(await failureOf(tenantId)).toContain("second factor of their own");
    expect(await countFactors(claims.sub)).toBe(1);

    await database.sql`delete from members where user_id = ${userId}`;
    expect(await signIn({ email: carol.email })).toMatchObject({ sub: claims.sub });
    expect(await countFactors(claims.sub)).toBe(1);
    // A person who was let in once stays so, also as a member of others later.
    await database.sql`
      insert into members (tenant_id, user_id, role, created_at)
      values (${other.tenantId}, ${userId}, 'developer', now())`;
    expect(await signIn({ email: carol.email })).toMatchObject({ sub: claims.sub });
  });

  it.each([
    [
      "an address of a domain that is not proven",
      { email: "eve@elsewhere.example" },
      "sso_address",
    ],
    ["no address", { email: undefined }, "sso_failed"],
    ["an address that the provider calls unverified", { email_verified: false }, "sso_address"],
    ["another nonce", { nonce: "stolen" }, "sso_failed"],
    ["another audience", { aud: "other-client" }, "sso_failed"],
    ["another issuer", { iss: "https://evil.example" }, "sso_failed"],
    ["a token that has expired", { exp: 1_000_000 }, "sso_failed"],
  ])("refuses %s, and says why to the owners alone", async (_name, said, code) => {
    const { tenantId, domain } = await openTenant();
    await putConnection(deps, CONTEXT, { tenantId, connection: oidcConnection() });
    person = { sub: "u2", email: `ann@${domain}`, ...said };
    const landed = (await signIn({ email: `ann@${domain}` })) as URL;
    expect(landed.searchParams.get("error")).toBe(code);
    expect(landed.href).not.toContain("ann");
    expect(await failureOf(tenantId)).toEqual(expect.any(String));
  });

  it("takes an answer once, in the browser that began, at the address of its tenant", async () => {
    const { tenantId, domain } = await openTenant();
    const other = await openTenant();
    for (const id of [tenantId, other.tenantId]) {
      await putConnection(deps, CONTEXT, { tenantId: id, connection: oidcConnection() });
    }
    person = { sub: "u3", email: `ann@${domain}` };
    const [victim, attacker] = [identity.browser(), identity.browser()];
    const left = await leave(attacker, { email: `ann@${domain}` });
    const back = new URL((await attacker.call("GET", left.url.href)).headers.get("location") ?? "");
    const mixedUp = back.href.replace(tenantId, other.tenantId);
    expect((await attacker.follow(mixedUp)).searchParams.get("error")).toBe("sso_failed");
    // A link that the attacker sends signs no one else in: the answer belongs to the attacker's browser.
    const collect = (await attacker.call("GET", back.href)).headers.get("location") ?? "";
    expect(collect).toContain("/sso?result=");
    expect((await victim.follow(collect)).searchParams.get("error")).toBe("sign_in_expired");
    expect(await finish(left, await attacker.follow(collect))).toMatchObject({
      email: person["email"],
    });
    expect((await attacker.follow(back)).searchParams.get("error")).toBe("sso_failed");
  });

  it("ends when the provider says so, in that browser alone and by its own word alone", async () => {
    const { tenantId, domain, slug } = await openTenant();
    const other = await openTenant();
    for (const tenant of [tenantId, other.tenantId]) {
      await putConnection(deps, CONTEXT, { tenantId: tenant, connection: oidcConnection() });
    }
    const enter = async (sid: string) => {
      person = { sub: "leaver", email: `leaver@${domain}`, sid };
      const browser = identity.browser();
      const left = await leave(browser, { tenant: slug });
      const landed = await browser.follow(left.url);
      return await openid.authorizationCodeGrant(await identity.oidc(), landed, {
        pkceCodeVerifier: left.request.verifier,
        expectedState: left.request.state,
        expectedNonce: left.request.nonce,
        idTokenExpected: true,
      });
    };
    const tell = async (claims: Record<string, unknown>, tenant = tenantId, jti = "one") => {
      person = {};
      const token = await oidc.issuer.buildToken({
        scopesOrTransform: (header, payload) => {
          header["typ"] = "logout+jwt";
          const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
          Object.assign(payload, { aud: "turnpike", jti, events, ...claims });
        },
      });
      return await identity
        .browser()
        .call("POST", `/idp/sso/${tenant}/logout`, { form: { logout_token: token } });
    };
    const stateOf = async (tokens: openid.TokenEndpointResponse) => {
      const { json } = await identity.api(tokens.id_token, "GET", "/v1/me/account");
      const renewed = await openid
        .refreshTokenGrant(await identity.oidc(), tokens.refresh_token ?? "")
        .catch((error: { error?: string }) => error);
      return [json.code ?? "in", "error" in renewed ? renewed.error : "renewed"];
    };
    const [desk, phone, tablet] = [await enter("desk"), await enter("phone"), await enter("pad")];
    // The same word at another tenant's address, about another person, and a text that is no token.
    expect((await tell({ sub: "leaver" }, other.tenantId)).status).toBe(200);
    expect((await tell({ sub: "someone", sid: "desk" })).status).toBe(200);
    expect((await tell({ sid: "desk", nonce: "n" })).status).toBe(400);
    const closed = await openTenant();
    expect((await tell({ sid: "desk" }, closed.tenantId)).status).toBe(400);
    expect((await tell({ sid: "desk" }, tenantId, "two")).status).toBe(200);
    expect((await tell({ sid: "phone" }, tenantId, "two")).status).toBe(400);
    expect(await stateOf(desk)).toEqual(["SIGNED_OUT", "invalid_grant"]);
    expect((await identity.api(phone.id_token, "GET", "/v1/me/account")).status).toBe(200);
    expect((await tell({ sub: "leaver" }, tenantId, "three")).status).toBe(200);
    expect(await stateOf(phone)).toEqual(["SIGNED_OUT", "invalid_grant"]);
    expect(await stateOf(tablet)).toEqual(["SIGNED_OUT", "invalid_grant"]);
    expect(await stateOf(await enter("again"))).toEqual(["in", "renewed"]);
  });

  it("ends with the attempt: ten minutes", async () => {
    const { tenantId, domain } = await openTenant();
    await putConnection(deps, CONTEXT, { tenantId, connection: oidcConnection() });
    person = { sub: "u4", email: `ann@${domain}` };
    const browser = identity.browser();
    const left = await leave(browser, { email: `ann@${domain}` });
    const back = (await browser.call("GET", left.url.href)).headers.get("location") ?? "";
    identity.advance(10 * 60_000 + 1);
    expect((await browser.follow(back)).searchParams.get("error")).toBe("sso_failed");
  });

  it("calls no address inside of the operator's network", async () => {
    const { tenantId } = await openTenant();
    const guarded = { ...deps, providers: createGuardedOutbound({ allowPrivate: [] }) };
    await expect(
      putConnection(guarded, CONTEXT, { tenantId, connection: oidcConnection() }),
    ).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("never opens an operator's account, whether it is one already or by the configuration", async () => {
    const { tenantId, domain } = await openTenant();
    await putConnection(deps, CONTEXT, { tenantId, connection: oidcConnection() });
    const boss = { ...newCredentials(), email: `boss@${domain}` };
    const { claims } = await identity.browser().register(boss);
    await database.sql`
      insert into users (user_id, issuer, subject, is_operator, created_at, updated_at)
      values (${deps.newId("user")}, 'builtin', ${claims.sub}, true, now(), now())`;
    person = { sub: "boss", email: boss.email };
    const landed = (await signIn({ email: boss.email })) as URL;
    expect(landed.searchParams.get("error")).toBe("sso_operator");
    expect(await failureOf(tenantId)).toContain("operator");

    await proveDomain(tenantId, "listed.example");
    person = { sub: "listed", email: "Listed@listed.example" };
    const refused = (await signIn({ email: "listed@listed.example" })) as URL;
    expect(refused.searchParams.get("error")).toBe("sso_operator");

    // Neither is shut out by what a tenant requires.
    await putConnection(deps, CONTEXT, {
      tenantId,
      connection: oidcConnection({ required: true }),
    });
    const { email, password } = boss;
    const browser = identity.browser();
    const { uid } = await browser.begin();
    const answer = await browser.call("POST", `/idp/interaction/${uid}/login`, {
      json: { email, password },
    });
    expect(answer.json).toMatchObject({ redirectTo: expect.any(String) });
  });

  it("keeps the client's secret for its issuer alone", async () => {
    const { tenantId } = await openTenant();
    const withoutSecret = { clientSecret: undefined };
    await putConnection(deps, CONTEXT, { tenantId, connection: oidcConnection() });
    const kept = await putConnection(deps, CONTEXT, {
      tenantId,
      connection: oidcConnection({ ...withoutSecret, name: "Renamed" }),
    });
    expect(kept.connection).toMatchObject({ name: "Renamed", hasClientSecret: true });
    const moved = await putConnection(deps, CONTEXT, {
      tenantId,
      connection: oidcConnection({ ...withoutSecret, clientId: "another" }),
    });
    expect(moved.connection).toMatchObject({ hasClientSecret: false });
    expect(JSON.stringify(kept)).not.toContain("s3cret");
  });
});

describe("a single sign-on that is required", () => {
  it("closes the password to members and strangers, ends their sign-ins, and leaves owners theirs", async () => {
    const { tenantId, domain } = await openTenant();
    await putConnection(deps, CONTEXT, { tenantId, connection: oidcConnection() });
    const ann = { ...newCredentials(), email: `ann@${domain}` };
    const browser = identity.browser();
    const { claims, tokens } = await browser.register(ann);
    const { email, password } = ann;
    const [user] = await database.sql<{ user_id: string }[]>`
      insert into users (user_id, issuer, subject, created_at, updated_at)
      values (${deps.newId("user")}, 'builtin', ${claims.sub}, now(), now()) returning user_id`;
    await database.sql`
      insert into members (tenant_id, user_id, role, created_at)
      values (${tenantId}, ${user?.user_id ?? ""}, 'viewer', now())`;
    await putConnection(deps, CONTEXT, {
      tenantId,
      connection: oidcConnection({ required: true }),
    });

    await expect(
      openid.refreshTokenGrant(await identity.oidc(), tokens.refresh_token ?? ""),
    ).rejects.toMatchObject({ error: "invalid_grant" });
    const { uid } = await browser.begin();
    const logIn = async (input: object) =>
      (await browser.call("POST", `/idp/interaction/${uid}/login`, { json: input })).json;
    // The same to a right password, a wrong one, and an address without an account.
    for (const input of [
      { email, password },
      { email, password: "wrong" },
      { email: `none@${domain}`, password },
    ]) {
      expect(await logIn(input)).toMatchObject({ code: "SSO_REQUIRED" });
    }
    const registered = await browser.call("POST", `/idp/interaction/${uid}/register`, {
      json: { ...newCredentials(), email: `new@${domain}` },
    });
    expect(registered.json).toMatchObject({ code: "SSO_REQUIRED" });

    await database.sql`update members set role = 'owner' where tenant_id = ${tenantId}`;
    expect(await logIn({ email, password })).toMatchObject({ redirectTo: expect.any(String) });
  });

  it("needs a proven domain", async () => {
    const { tenantId, domain } = await openTenant();
    await removeDomain(deps, CONTEXT, { tenantId, domain });
    await expect(
      putConnection(deps, CONTEXT, { tenantId, connection: oidcConnection({ required: true }) }),
    ).rejects.toMatchObject({ code: "CONFLICT" });
  });
});

describe("domains", () => {
  it("are proven by their record alone, and by one tenant", async () => {
    const { domain } = await openTenant();
    const other = await openTenant();
    const { record } = await addDomain(deps, CONTEXT, { tenantId: other.tenantId, domain });
    const verify = () => verifyDomain(deps, CONTEXT, { tenantId: other.tenantId, domain });
    await expect(verify()).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("v=spf1"),
    });
    records.set(record.name, [record.value]);
    await expect(verify()).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("Another tenant"),
    });
  });

  it("of a tenant without a connection, or with one that is off, change nothing", async () => {
    const { tenantId, domain } = await openTenant();
    const browser = identity.browser();
    const { uid } = await browser.begin();
    const ask = async () =>
      (
        await browser.call("POST", `/idp/interaction/${uid}/sso`, {
          json: { email: `a@${domain}` },
        })
      ).json;
    expect(await ask()).toMatchObject({ code: "SSO_UNAVAILABLE" });
    await putConnection(deps, CONTEXT, {
      tenantId,
      connection: oidcConnection({ enabled: false }),
    });
    expect(await ask()).toMatchObject({ code: "SSO_UNAVAILABLE" });
    await removeConnection(deps, CONTEXT, { tenantId });
    expect(await ask()).toMatchObject({ code: "SSO_UNAVAILABLE" });
  });
});

describe("a tenant's single sign-on by SAML 2.0", () => {
  async function begin() {
    const { tenantId, domain } = await openTenant();
    const { service } = await putConnection(deps, CONTEXT, {
      tenantId,
      connection: samlConnection(),
    });
    const browser = identity.browser();
    const left = await leave(browser, { email: `ann@${domain}` });
    const request = saml.readRequest(left.url);
    const good: Assertion = {
      nameId: "ann-id",
      attributes: { email: `ann@${domain}`, displayName: "Ann & Co" },
      inResponseTo: request.id,
      recipient: request.acsUrl,
      audience: request.issuer,
      issuer: saml.entityId,
      at: deps.clock.now(),
      signed: "assertion",
    };
    const post = async (response: string, relayState = request.relayState): Promise<URL> => {
      const reply = await browser.call("POST", new URL(request.acsUrl).pathname, {
        form: { SAMLResponse: response, RelayState: relayState },
        headers: { origin: "https://idp.test" },
      });
      return await browser.follow(reply.headers.get("location") ?? `none: ${reply.text}`);
    };
    return { tenantId, service, browser, left, request, good, post };
  }

  it.each(["assertion", "response"] as const)(
    "signs a person in by a signed %s, once",
    async (signed) => {
      const { tenantId, service, left, good, post, request } = await begin();
      expect(left.url.href).toContain("https://idp.test/sso?a=1&b=2");
      expect(request).toMatchObject({ acsUrl: service.acsUrl, issuer: service.entityId });
      const response = saml.answer({ ...good, signed });
      const claims = await finish(left, await post(response));
      expect(claims).toMatchObject({ email: good.attributes["email"], name: "Ann & Co" });
      expect(await roleOf(tenantId, claims.sub)).toBe("developer");
      expect((await post(response)).searchParams.get("error")).toBe("sso_failed");
    },
  );

  it.each<[string, (good: Assertion) => Partial<Assertion>]>([
    ["no signature", () => ({ signed: "none" })],
    ["another request", () => ({ inResponseTo: "_other" })],
    ["another recipient", () => ({ recipient: "https://other.example/acs" })],
    ["another audience", () => ({ audience: "https://other.example" })],
    ["another issuer", () => ({ issuer: "https://other.example" })],
    ["a time that is over", ({ at }) => ({ at: new Date(at.getTime() - 3_600_000) })],
    ["a time that has not come", ({ at }) => ({ at: new Date(at.getTime() + 3_600_000) })],
    ["a foreign address", () => ({ attributes: { email: "eve@elsewhere.example" } })],
    [
      "a signature by SHA-1",
      () => ({
        algorithm: {
          signature: "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
          digest: "http://www.w3.org/2000/09/xmldsig#sha1",
        },
      }),
    ],
  ])("refuses %s", async (_name, change) => {
    const { tenantId, good, post } = await begin();
    const landed = await post(saml.answer({ ...good, ...change(good) }));
    expect(landed.searchParams.get("error")).toMatch(/^sso_/);
    expect(await failureOf(tenantId)).toEqual(expect.any(String));
  });

  it.each<[string, (xml: string) => string]>([
    ["an address that was changed", (xml) => xml.replace(/ann@customer/, "eve@customer")],
    [
      // CVE-2018-0489 and its kin: text after a comment must not be cut off.
      "a comment inside of the address",
      (xml) => xml.replace(/>ann@/, ">eve@<!-- -->ann@"),
    ],
    [
      "an unsigned assertion before the signed one",
      (xml) => {
        const signed = /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)?.[0] ?? "";
        const forged = signed
          .replace(/<Signature.*<\/Signature>|<ds:Signature.*<\/ds:Signature>/s, "")
          .replace(/ID="[^"]*"/, 'ID="_forged"')
          .replaceAll("ann@", "eve@");
        return xml.replace(signed, forged + signed);
      },
    ],
    [
      "the signed assertion wrapped in a forged one",
      (xml) => {
        const signed = /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)?.[0] ?? "";
        const forged = signed
          .replace(/<Signature.*<\/Signature>|<ds:Signature.*<\/ds:Signature>/s, "")
          .replace(/ID="[^"]*"/, 'ID="_forged"')
          .replaceAll("ann@", "eve@")
          .replace("</saml:Assertion>", `<saml:Advice>${signed}</saml:Advice></saml:Assertion>`);
        return xml.replace(signed, forged);
      },
    ],
    ["a document type", (xml) => `<!DOCTYPE a [<!ENTITY x "y">]>${xml}`],
    ["no XML", () => "nonsense"],
    ["nothing", () => ""],
  ])("refuses %s", async (_name, tamper) => {
    const { good, post } = await begin();
    const landed = await post(Buffer.from(tamper(saml.answerXml(good))).toString("base64"));
    expect(landed.searchParams.get("error")).toMatch(/^sso_/);
  });

  it("describes itself, and reads no metadata that it cannot use", async () => {
    const { tenantId, service } = await begin();
    const described = await identity.browser().call("GET", service.metadataUrl);
    expect(described.text).toContain(service.acsUrl);
    const put = (metadata: string) =>
      putConnection(deps, CONTEXT, { tenantId, connection: samlConnection({ metadata }) });
    for (const metadata of [
      "no xml",
      saml.metadata().replace("HTTP-Redirect", "Other"),
      saml.metadata().replace(/<md:KeyDescriptor.*<\/md:KeyDescriptor>/s, ""),
      saml.metadata().replace(/X509Certificate>MII/, "X509Certificate>AAA"),
      `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${saml.metadata()}`,
    ]) {
      await expect(put(metadata)).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        errors: [{ pointer: "/connection/metadata" }],
      });
    }
    const again = await put(saml.metadata());
    expect(again.connection).toMatchObject({
      entityId: saml.entityId,
      certificates: [{ subject: "CN=idp.test" }],
    });
  });
});
