import { AGENT_SCOPES } from "@turnpike/contract/agent-grants";
import { SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { eventually } from "@turnpike/testkit/eventually";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestServices } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGuardedOutbound } from "#platform/guarded-outbound.ts";
import { TOOL_SCOPES } from "../mcp/create-mcp-server.ts";
import {
  askToConnect,
  CALLBACK,
  CONSOLE_URL,
  connectClient,
  createBrowser,
  createFetch,
  type KeptSignIn,
  MCP_URL,
  signIn,
} from "./authorization.fixture.ts";
import { endAgentGrantsOf } from "./end-agent-grant.ts";

const DOCUMENT_URL = "https://assistant.example/client.json";

let database: TestDatabase;
let app: TestApp;
/** The document at {@link DOCUMENT_URL}. */
let document: unknown;

async function startApp(): Promise<TestApp> {
  const guarded = createGuardedOutbound({ allowPrivate: [] });
  return await startTestApp(database, {
    consoleUrl: CONSOLE_URL,
    clientDocuments: {
      get: (url, input) =>
        url === DOCUMENT_URL
          ? Promise.resolve({
              status: document === undefined ? 404 : 200,
              cacheControl: undefined,
              text: JSON.stringify(document ?? null),
            })
          : guarded.get(url, input),
    },
  });
}

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startApp();
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const READ = ["usage:read", "keys:read"];

async function mintPerson(role: Parameters<TestApp["mintMember"]>[1] = "developer") {
  const tenantId = await app.mintTenant("Acme");
  return { tenantId, ...(await app.mintMember(tenantId, role)) };
}

async function listTools(kept: KeptSignIn): Promise<string[]> {
  const { client } = await connectClient(app, kept);
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

/** A request without the official client, which would ask anew instead of telling what it was answered. */
async function post(token: string | undefined, tool?: string) {
  const response = await fetch(`${app.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      ...(tool === undefined
        ? { method: "tools/list", params: {} }
        : { method: "tools/call", params: { name: tool, arguments: {} } }),
    }),
  });
  await response.body?.cancel();
  return { status: response.status, challenge: response.headers.get("www-authenticate") ?? "" };
}

function tokensOf({ tokens }: KeptSignIn): { access: string; refresh: string } {
  return { access: tokens?.access_token ?? "", refresh: tokens?.refresh_token ?? "" };
}

/** Asks for tokens as a program does. */
async function askForTokens(kept: KeptSignIn, refreshToken: string) {
  const response = await fetch(`${app.url}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: refreshToken,
      client_id: kept.clientInformation?.client_id ?? "",
      resource: MCP_URL,
    }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, string> };
}

async function listGrants(token: string, tenantId: TenantId) {
  return (await app.call(token, "GET", `/v1/tenants/${tenantId}/agent-grants`)).json.items;
}

/** Why agents of a tenant ended without a person who disconnected them, sorted. */
async function listEnds(tenantId: TenantId): Promise<unknown[]> {
  const rows = await database.sql`
    select details from audit_entries
    where tenant_id = ${tenantId} and action = 'agent_grant.ended'`;
  return rows.map(({ details }) => details.why).sort();
}

describe("an agent that a member connects", () => {
  it("is led from discovery over registration and the member's decision to the tools that were allowed", async () => {
    const { tenantId, token, userId } = await mintPerson();
    const key = await app.mintKey(tenantId, ["keys:read"]);
    const kept = await signIn(app, { token, tenantId, scopes: READ });
    expect(kept.tokens).toMatchObject({ token_type: "Bearer", expires_in: 900 });
    expect(kept.tokens?.scope?.split(" ").sort()).toEqual([...READ].sort());
    expect(kept.authorizationUrl?.searchParams.get("resource")).toBe(MCP_URL);

    const { client } = await connectClient(app, kept);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["query_usage", "list_keys", "search_docs"]));
    expect(names).not.toContain("list_invoices");
    expect(names).not.toContain("propose_key");
    const listed = await client.callTool({ name: "list_keys", arguments: {} });
    const api = await app.call(key, "GET", `/v1/tenants/${tenantId}/keys`);
    expect(listed.structuredContent).toMatchObject({ items: api.json.items });
    await client.close();

    const [grant] = await listGrants(token, tenantId);
    expect(grant).toMatchObject({ name: "Test assistant", host: null, userId, scopes: READ });
    const [audited] = await database.sql`
      select actor_type, actor_id, details from audit_entries where entity_id = ${grant.agentGrantId}`;
    expect(audited).toMatchObject({
      actor_type: "user",
      actor_id: userId,
      details: { name: "Test assistant", scopes: READ },
    });
  });

  it("renews its access by itself, and loses it when a refresh token is used twice", async () => {
    const { tenantId, token, userId } = await mintPerson();
    const kept = await signIn(app, { token, tenantId, scopes: READ });
    const first = tokensOf(kept);
    await database.sql`
      update oidc_records set expires_at = now() - interval '1 second' where model = 'AccessToken'`;
    await database.sql`select record_change('user', null, ${userId})`;
    await eventually(async () => expect((await post(first.access)).status).toBe(401));
    expect(await listTools(kept)).toContain("query_usage");
    const second = tokensOf(kept);
    expect(second.access).not.toBe(first.access);
    expect(second.refresh).not.toBe(first.refresh);

    const reused = await askForTokens(kept, first.refresh);
    expect(reused).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
    await eventually(async () => expect((await post(second.access)).status).toBe(401));
    expect((await askForTokens(kept, second.refresh)).status).toBe(400);
    expect(await listGrants(token, tenantId)).toEqual([]);
    expect(await listEnds(tenantId)).toEqual(["token_used_twice"]);
  });

  it("may never do more than its person, as the person's role is now", async () => {
    const { tenantId, token, userId } = await mintPerson("developer");
    const owner = await app.mintMember(tenantId, "owner");
    const kept = await signIn(app, { token, tenantId, scopes: [...READ, "proposals:write"] });
    const { access } = tokensOf(kept);
    expect(await listTools(kept)).toContain("propose_key");
    const member = `/v1/tenants/${tenantId}/members/${userId}`;
    expect((await app.call(owner.token, "PUT", member, { role: "viewer" })).status).toBe(200);
    await eventually(async () => {
      const refused = await post(access, "propose_key");
      expect(refused.status).toBe(403);
      expect(refused.challenge).toContain('error="insufficient_scope", scope="proposals:write"');
    });
    expect((await post(access)).status).toBe(200);
    // At a provider elsewhere, which has to vouch for the person once a week.
    const vouch = async (daysAgo: number) => {
      await database.sql`
        update users set issuer = 'https://id.example', claims_issued_at = now() - make_interval(days => ${daysAgo})
        where user_id = ${userId}`;
      await database.sql`select record_change('user', null, ${userId})`;
    };
    for (const [daysAgo, status] of [
      [8, 401],
      [6, 200],
    ] as const) {
      await vouch(daysAgo);
      await eventually(async () => expect((await post(access)).status).toBe(status));
    }
    expect((await app.call(owner.token, "DELETE", member)).status).toBe(200);
    await eventually(async () => expect((await post(access)).status).toBe(401));
    expect((await askForTokens(kept, tokensOf(kept).refresh)).status).toBe(400);
  });

  it("proposes in its own name, and nothing of it is made once it is disconnected", async () => {
    const { tenantId, token } = await mintPerson("admin");
    const kept = await signIn(app, { token, tenantId, scopes: ["proposals:write"] });
    const { client } = await connectClient(app, kept);
    const proposed = await client.callTool({
      name: "propose_spend_cap",
      arguments: { amount: "100.00", reason: "The month is over soon." },
    });
    await client.close();
    const [grant] = await listGrants(token, tenantId);
    const { proposalId, proposedBy } = proposed.structuredContent as Record<string, string>;
    expect(proposedBy).toBe(`agent:${grant.agentGrantId}`);
    const proposal = `/v1/tenants/${tenantId}/proposals/${proposalId}`;
    const path = `/v1/tenants/${tenantId}/agent-grants/${grant.agentGrantId}/revoke`;
    expect((await app.call(token, "POST", path)).status).toBe(200);
    expect(await app.call(token, "POST", `${proposal}/accept`)).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining("no longer has access") },
    });
  });

  it("is disconnected by its person, by an admin, by itself and by a change of password", async () => {
    const { tenantId, token, userId } = await mintPerson("viewer");
    const admin = await app.mintMember(tenantId, "admin");
    const viewer = await app.mintMember(tenantId, "viewer");
    const stranger = await mintPerson("owner");
    const connect = async () => tokensOf(await signIn(app, { token, tenantId, scopes: READ }));
    const grants = `/v1/tenants/${tenantId}/agent-grants`;
    const newest = async () => (await listGrants(token, tenantId))[0].agentGrantId as string;
    for (const by of [token, admin.token]) {
      const { access } = await connect();
      expect((await post(access)).status).toBe(200);
      const path = `${grants}/${await newest()}/revoke`;
      expect((await app.call(viewer.token, "POST", path)).status).toBe(403);
      expect((await app.call(stranger.token, "POST", path)).status).toBe(404);
      const elsewhere = path.replace(tenantId, stranger.tenantId);
      expect((await app.call(stranger.token, "POST", elsewhere)).status).toBe(404);
      expect((await app.call(by, "POST", path)).status).toBe(200);
      await eventually(async () => expect((await post(access)).status).toBe(401));
    }
    const kept = await signIn(app, { token, tenantId, scopes: READ });
    const revoked = await fetch(`${app.url}/oauth/revoke`, {
      method: "POST",
      body: new URLSearchParams({
        token: tokensOf(kept).access,
        client_id: kept.clientInformation?.client_id ?? "",
      }),
    });
    expect(revoked.status).toBe(200);
    await eventually(async () => expect((await post(tokensOf(kept).access)).status).toBe(401));
    expect(await listGrants(token, tenantId)).toEqual([]);
    expect(await listEnds(tenantId)).toEqual(["given_back"]);

    await connect();
    const services = createTestServices(database);
    await services.transact.asOperator((tx) =>
      endAgentGrantsOf(services, tx, { userId, why: "password_changed" }),
    );
    expect(await listGrants(token, tenantId)).toEqual([]);
    expect(await listEnds(tenantId)).toEqual(["given_back", "password_changed"]);

    const last = await signIn(app, { token, tenantId, scopes: READ });
    expect((await post(tokensOf(last).access)).status).toBe(200);
    await database.sql`
      update users set tokens_valid_from = now() + interval '1 hour' where user_id = ${userId}`;
    await database.sql`select record_change('user', null, ${userId})`;
    await eventually(async () => expect((await post(tokensOf(last).access)).status).toBe(401));
    expect((await askForTokens(last, tokensOf(last).refresh)).status).toBe(400);
  });
});

describe("a token", () => {
  it("opens nothing but the resource that it was made for", async () => {
    const { tenantId, token, userId } = await mintPerson("owner");
    const { access, refresh } = tokensOf(await signIn(app, { token, tenantId, scopes: READ }));
    expect((await app.call(access, "GET", `/v1/tenants/${tenantId}`)).status).toBe(401);
    expect((await app.call(access, "GET", "/v1/me")).status).toBe(401);
    for (const other of [token, refresh, `${access}x`, access.toUpperCase()]) {
      const refused = await post(other);
      expect(refused.status).toBe(401);
      expect(refused.challenge).toContain('error="invalid_token"');
      expect(refused.challenge).toContain(`scope="${TOOL_SCOPES.join(" ")}"`);
    }
    await database.sql`
      update oidc_records set payload = payload || '{"aud": "https://other.example/mcp"}'
      where model = 'AccessToken'`;
    await database.sql`select record_change('user', null, ${userId})`;
    await eventually(async () => expect((await post(access)).status).toBe(401));
  });

  it("can be asked for with every scope that a tool needs", () => {
    expect([...AGENT_SCOPES].sort()).toEqual([...TOOL_SCOPES].sort());
  });
});

describe("a request to connect", () => {
  it("is decided on by a person in the browser that it came to, for a tenant of their own", async () => {
    const { tenantId, token } = await mintPerson("viewer");
    const other = await mintPerson("owner");
    const operator = await app.mintOperatorToken();
    const { uid, browser } = await askToConnect(app, {});
    const path = `/oauth/requests/${uid}/decision`;
    const allow = { decision: "allow", tenantId, scopes: READ };
    const decide = async (by: string, json: object, from = browser) =>
      (await from.call("POST", path, { json, token: by })).status;
    const seen = await browser.call("GET", `/oauth/requests/${uid}/view`, { token });
    expect(seen.json).toEqual({
      name: "Test assistant",
      host: null,
      scopes: AGENT_SCOPES,
      returnsTo: "a program on this computer (127.0.0.1:4711)",
    });
    expect({
      "another browser": await decide(token, allow, createBrowser(app)),
      "a program": await decide(await app.mintServiceKey(SCOPES), allow),
      "a stranger of the tenant": await decide(other.token, allow),
      "an operator": await decide(operator, allow),
      "a tenant of another": await decide(token, { ...allow, tenantId: other.tenantId }),
      "more than the role has": await decide(token, { ...allow, scopes: ["proposals:write"] }),
      "no scope": await decide(token, { ...allow, scopes: [] }),
    }).toEqual({
      "another browser": 410,
      "a program": 403,
      "a stranger of the tenant": 404,
      "an operator": 404,
      "a tenant of another": 404,
      "more than the role has": 403,
      "no scope": 400,
    });
    const foreign = await createFetch(app)(CONSOLE_URL + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        origin: "https://evil.example",
      },
      body: JSON.stringify(allow),
    });
    expect(foreign.status).toBe(403);
    // The person thinks again: one agent is connected, not two.
    expect(await decide(token, allow)).toBe(200);
    const called = await browser.decide(uid, token, allow);
    expect(await listGrants(token, tenantId)).toHaveLength(1);
    expect(called.href).toContain(CALLBACK);
    expect(Object.fromEntries(called.searchParams)).toMatchObject({
      code: expect.any(String),
      state: "a-state",
      iss: `${CONSOLE_URL}/oauth`,
    });
  });

  it("is denied in the words of OAuth, and never allowed silently", async () => {
    const { tenantId, token } = await mintPerson();
    const kept: KeptSignIn = {};
    const { uid, browser } = await askToConnect(app, kept);
    const called = await browser.decide(uid, token, { decision: "deny" });
    expect(called.searchParams.get("error")).toBe("access_denied");
    expect(called.searchParams.get("iss")).toBe(`${CONSOLE_URL}/oauth`);

    const again = await askToConnect(app, kept, {}, browser);
    await browser.decide(again.uid, token, { decision: "allow", tenantId, scopes: READ });
    const third = await askToConnect(app, kept, {}, browser);
    expect(third.uid).not.toBe(again.uid);
    const silent = new URL(kept.authorizationUrl ?? "");
    silent.searchParams.set("prompt", "none");
    const { landed } = await browser.open(silent);
    expect(landed.href).toBe(`${CONSOLE_URL}/connect?error=invalid`);
    // Another person at the same browser is asked, and it is theirs.
    const other = await mintPerson();
    const decision = { decision: "allow", tenantId: other.tenantId, scopes: READ };
    expect((await browser.decide(third.uid, other.token, decision)).searchParams.has("code")).toBe(
      true,
    );
  });

  it("names an exact address, a challenge by S256 and our resource, or goes nowhere: no link to us leads to another site by itself", async () => {
    const kept: KeptSignIn = {};
    await askToConnect(app, kept);
    const browser = createBrowser(app);
    const open = async (change: Record<string, string>) => {
      const url = new URL(kept.authorizationUrl ?? "");
      for (const [name, value] of Object.entries(change)) {
        url.searchParams.set(name, value);
      }
      const { landed, uid } = await browser.open(url);
      const answer = new URLSearchParams(landed.search || landed.hash.slice(1));
      return uid === null
        ? `${landed.origin}${landed.pathname} ${answer.get("error")}`
        : "asks the person";
    };
    const home = `${CONSOLE_URL}/connect invalid`;
    expect({
      "another port of this machine": await open({ redirect_uri: "http://127.0.0.1:9/callback" }),
      "another path": await open({ redirect_uri: "http://127.0.0.1:4711/other" }),
      "another host": await open({ redirect_uri: "https://evil.example/callback" }),
      "an unknown program": await open({ client_id: "unknown" }),
      "a plain challenge": await open({ code_challenge_method: "plain" }),
      "another resource": await open({ resource: `${CONSOLE_URL}/v1` }),
      "an implicit flow": await open({ response_type: "token" }),
      "a silent one": await open({ prompt: "none" }),
      "a page that posts": await open({ response_mode: "form_post" }),
    }).toEqual({
      "another port of this machine": "asks the person",
      "another path": home,
      "another host": home,
      "an unknown program": home,
      "a plain challenge": home,
      "another resource": home,
      "an implicit flow": home,
      "a silent one": home,
      "a page that posts": home,
    });
    const embedded = await createFetch(app)(kept.authorizationUrl ?? "", {
      headers: { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" },
    });
    expect(embedded.status).toBe(403);
  });
});

describe("a program that registers", () => {
  it("gets an id without a secret, and is refused addresses that anyone could read", async () => {
    const register = async (redirectUri: string) => {
      const reply = await app.call(undefined, "POST", "/oauth/register", {
        client_name: "A",
        redirect_uris: [redirectUri],
        logo_uri: "https://evil.example/logo.svg",
        token_endpoint_auth_method: "client_secret_basic",
      });
      return reply.status === 201 ? "registered" : reply.json.error;
    };
    const answers: Record<string, string> = {};
    for (const uri of [
      "http://127.0.0.1/callback",
      "http://localhost:8080/callback",
      "https://assistant.example/callback",
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "http://assistant.example/callback",
      "javascript:alert(1)",
      "data:text/html,a",
      "https://assistant.example/callback#fragment",
      "/callback",
    ]) {
      answers[uri] = await register(uri);
    }
    expect(answers).toEqual({
      "http://127.0.0.1/callback": "registered",
      "http://localhost:8080/callback": "registered",
      "https://assistant.example/callback": "registered",
      "cursor://anysphere.cursor-mcp/oauth/callback": "registered",
      "http://assistant.example/callback": "invalid_redirect_uri",
      "javascript:alert(1)": "invalid_redirect_uri",
      "data:text/html,a": "invalid_redirect_uri",
      "https://assistant.example/callback#fragment": "invalid_redirect_uri",
      "/callback": "invalid_redirect_uri",
    });
    const { json } = await app.call(undefined, "POST", "/oauth/register", {
      client_name: "Clаude", // with a Cyrillic letter
      redirect_uris: [CALLBACK],
    });
    expect(json).toMatchObject({
      client_name: "A program without a name",
      token_endpoint_auth_method: "none",
    });
    expect(json).not.toHaveProperty("client_secret");
    const [stored] = await database.sql`
      select count(*)::int as count from oidc_records where model = 'Client'`;
    expect(stored).toEqual({ count: 0 });
    for (let tries = 0; tries < 40; tries += 1) {
      await register(CALLBACK);
    }
    expect(await app.call(undefined, "POST", "/oauth/register", {})).toMatchObject({
      status: 429,
    });
  });

  it("may be described by a document at its own address instead, which is fetched from the public internet only", async () => {
    const { tenantId, token } = await mintPerson();
    document = { client_id: DOCUMENT_URL, client_name: "Assistant", redirect_uris: [CALLBACK] };
    const documentUrl = DOCUMENT_URL;
    const kept = await signIn(app, { token, tenantId, scopes: READ }, { documentUrl });
    expect(kept.clientInformation?.client_id).toBe(DOCUMENT_URL);
    expect(await listTools(kept)).toContain("query_usage");
    const [grant] = await listGrants(token, tenantId);
    expect(grant).toMatchObject({ name: "Assistant", host: "assistant.example" });

    const url = new URL(kept.authorizationUrl ?? "");
    for (const address of [
      "https://127.0.0.1/client.json",
      "https://localhost/client.json",
      "https://169.254.169.254/client.json",
      "https://[::1]/client.json",
      "https://assistant.example/client.json?other",
    ]) {
      url.searchParams.set("client_id", address);
      const { landed } = await createBrowser(app).open(url);
      expect(landed.href, address).toBe(`${CONSOLE_URL}/connect?error=invalid`);
    }
  });
});

describe("a document of a program", () => {
  it("is fetched anew by the process that has none, and without it the request is over", async () => {
    const { tenantId } = await mintPerson();
    document = { client_id: DOCUMENT_URL, client_name: "Assistant", redirect_uris: [CALLBACK] };
    const serving = { url: app.url };
    const options = { documentUrl: DOCUMENT_URL };
    const { uid, browser } = await askToConnect(app, {}, options, createBrowser(serving));
    const second = await startApp();
    try {
      const { token } = await second.mintMember(tenantId, "developer");
      const view = async () => await browser.call("GET", `/oauth/requests/${uid}/view`, { token });
      serving.url = second.url;
      document = undefined;
      expect((await view()).status).toBe(410);
      document = { client_id: DOCUMENT_URL, client_name: "Assistant", redirect_uris: [CALLBACK] };
      expect((await view()).json).toMatchObject({ host: "assistant.example" });
      const decision = { decision: "allow", tenantId, scopes: READ };
      expect((await browser.decide(uid, token, decision)).searchParams.has("code")).toBe(true);
    } finally {
      await second.close();
    }
  });
});

describe("discovery", () => {
  it("answers where clients look", async () => {
    const unauthorized = await post(undefined);
    expect(unauthorized.status).toBe(401);
    const address = /resource_metadata="([^"]+)"/.exec(unauthorized.challenge)?.[1] ?? "";
    for (const each of [address, `${CONSOLE_URL}/.well-known/oauth-protected-resource`]) {
      const resource = await createFetch(app)(each);
      expect(await resource.json()).toMatchObject({
        resource: MCP_URL,
        authorization_servers: [`${CONSOLE_URL}/oauth`],
      });
    }
    for (const path of [
      "/.well-known/oauth-authorization-server/oauth",
      "/.well-known/openid-configuration/oauth",
      "/oauth/.well-known/openid-configuration",
    ]) {
      const metadata = await fetch(app.url + path);
      expect(metadata.headers.get("access-control-allow-origin")).toBe("*");
      expect(await metadata.json()).toMatchObject({
        issuer: `${CONSOLE_URL}/oauth`,
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      });
    }
  });
});
