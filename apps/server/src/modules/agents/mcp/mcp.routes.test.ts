import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { eventually } from "@turnpike/testkit/eventually";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Of a tenant in a minute. */
const REQUESTS_MAX = 60;

let database: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database, {
    configText: `api: { writesPerMinute: ${String(REQUESTS_MAX)} }`,
  });
});
afterAll(async () => {
  await app.close();
  await database.close();
});

/** Connects the official client. @param era - The revision of 2026, or those before. */
async function connect(key: string, era: "modern" | "legacy" = "modern"): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );
  return client;
}

/** A request without the official client, for what it would never send. */
async function post(
  key: string | undefined,
  message: object,
  headers: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(`${app.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const LIST = { method: "tools/list", params: {} };

describe("the Model Context Protocol", () => {
  it.each(["modern", "legacy"] as const)(
    "answers the official client of the %s revision with figures of the ledger",
    async (era) => {
      const tenantId = await app.mintTenant("Acme");
      const key = await app.mintKey(tenantId, ["usage:read", "keys:read"]);
      await app.call(await app.mintServiceKey(SCOPES), "POST", "/v1/keys/verify", { key, cost: 1 });
      const client = await connect(key, era);
      try {
        const { tools } = await client.listTools();
        const names = tools.map(({ name }) => name);
        expect(names).toEqual(
          expect.arrayContaining(["query_usage", "explain_changes", "list_keys", "search_docs"]),
        );
        expect(names).toEqual(expect.arrayContaining(["ask", "forecast_usage"]));
        expect(names).not.toContain("list_invoices");
        expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);

        await eventually(async () => {
          const asked = { measures: "requests", dimensions: "key", limit: 5 };
          const answer = await client.callTool({ name: "query_usage", arguments: asked });
          const api = await app.call(
            key,
            "GET",
            `/v1/tenants/${tenantId}/usage?measures=requests&dimensions=key&limit=5`,
          );
          expect(api.json.rows).toHaveLength(1);
          const { rows, totals } = answer.structuredContent as { rows: unknown; totals: unknown };
          expect({ rows, totals }).toEqual({ rows: api.json.rows, totals: api.json.totals });
        });
        const found = await client.callTool({
          name: "search_docs",
          arguments: { query: "revoke a key" },
        });
        expect(JSON.stringify(found.structuredContent)).toContain("http://console.test/docs/");
      } finally {
        await client.close();
      }
    },
  );

  it("says in a plain sentence what was wrong with a call", async () => {
    const key = await app.mintKey(await app.mintTenant("Acme"), ["usage:read"]);
    const client = await connect(key);
    const wrong = await client.callTool({
      name: "query_usage",
      arguments: { measures: "profits" },
    });
    expect(wrong.isError).toBe(true);
    expect(JSON.stringify(wrong.content)).toContain('\\"profits\\" is not one of requests');
    const costly = await client.callTool({
      name: "query_usage",
      arguments: { measures: "requests", from: "2020-01-01T00:00:00Z", grain: "minute" },
    });
    expect(costly.isError).toBe(true);
    expect(JSON.stringify(costly.content)).toMatch(/\(INVALID_REQUEST\)|\(QUERY_TOO_COSTLY\)/);
    const tooMany = await client.callTool({ name: "query_usage", arguments: { limit: 201 } });
    expect(tooMany.isError).toBe(true);
    await client.close();
  });

  it("shows nothing of another tenant, and takes no tenant from the arguments", async () => {
    const ours = await app.mintTenant("Acme");
    const theirs = await app.mintTenant("Acme");
    await app.mintKey(theirs, ["keys:read"]);
    const client = await connect(await app.mintKey(ours, ["keys:read"]));
    const { structuredContent } = await client.callTool({ name: "list_keys", arguments: {} });
    const { items } = structuredContent as { items: { tenantId: string }[] };
    expect(items.map(({ tenantId }) => tenantId)).toEqual([ours]);
    const named = await client.callTool({ name: "list_keys", arguments: { tenantId: theirs } });
    expect(named.isError).toBe(true);
    await client.close();
  });

  it("refuses what is no key of a tenant, and says where a credential comes from", async () => {
    const tenantId = await app.mintTenant("Acme");
    const revoked = await app.mintKey(tenantId, ["usage:read", "keys:write"]);
    const { json } = await app.call(revoked, "GET", `/v1/tenants/${tenantId}/keys`);
    expect(json.code).toBe("INSUFFICIENT_SCOPE");
    const operator = await app.mintServiceKey(SCOPES);
    const { json: keys } = await app.call(operator, "GET", `/v1/tenants/${tenantId}/keys`);
    await app.call(operator, "POST", `/v1/tenants/${tenantId}/keys/${keys.items[0].keyId}/revoke`);
    const refused = {
      nothing: undefined,
      "a token of the console": (await app.mintMember(tenantId, "owner")).token,
      "an operator's service key": operator,
      "an unknown key": `tp_live_${"a".repeat(40)}`,
      "a revoked key": revoked,
    };
    for (const [name, credential] of Object.entries(refused)) {
      await eventually(async () => {
        const reply = await post(credential, LIST);
        expect({ name, status: reply.status }).toEqual({ name, status: 401 });
        expect(reply.headers.get("www-authenticate")).toContain(
          'resource_metadata="http://console.test/.well-known/oauth-protected-resource/mcp"',
        );
      });
    }
    const metadata = await fetch(`${app.url}/.well-known/oauth-protected-resource/mcp`);
    expect(await metadata.json()).toMatchObject({
      resource: "http://console.test/mcp",
      bearer_methods_supported: ["header"],
    });
  });

  it("is closed to keys that only call the gateway, and each tool to keys without its scope", async () => {
    const tenantId = await app.mintTenant("Acme");
    const gatewayOnly = await post(await app.mintKey(tenantId, []), LIST);
    expect(gatewayOnly.status).toBe(403);
    const call = { method: "tools/call", params: { name: "list_invoices", arguments: {} } };
    const other = await post(await app.mintKey(tenantId, ["usage:read"]), call);
    expect(other.status).toBe(403);
    expect(other.headers.get("www-authenticate")).toContain(
      'error="insufficient_scope", scope="billing:read"',
    );
  });

  it("refuses pages of other sites, other bodies, and a header that names another tool than the body", async () => {
    const key = await app.mintKey(await app.mintTenant("Acme"), ["usage:read"]);
    const foreign = await post(key, LIST, { origin: "https://evil.example" });
    expect(foreign.status).toBe(403);
    const ownPage = await post(key, LIST, { origin: "http://console.test" });
    expect(ownPage.status).toBe(200);

    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const call = {
      method: "tools/call",
      params: { name: "get_limits", arguments: {}, _meta: meta },
    };
    const named = (name: string) => ({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    });
    expect((await post(key, call, named("get_limits"))).status).toBe(200);
    const mismatch = await post(key, call, named("query_usage"));
    expect(mismatch.status).toBe(400);
    expect(mismatch.text).toContain("-32020");

    // Bodies of older revisions are no way around it.
    const { _meta, ...older } = call.params;
    for (const headers of [{ "mcp-name": "query_usage" }, { "mcp-method": "tools/list" }]) {
      const refused = await post(key, { ...call, params: older }, headers);
      expect(refused).toMatchObject({ status: 400, text: expect.stringContaining("-32020") });
    }
    expect((await post(key, { ...call, params: older }, { "mcp-name": older.name })).status).toBe(
      200,
    );
    const many = Array.from({ length: 2 }, (_, id) => ({ jsonrpc: "2.0", id, ...LIST }));
    const together = await fetch(`${app.url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${key}`,
      },
      body: JSON.stringify(many),
    });
    expect(together.status).toBe(400);
    expect(await together.text()).toContain("one message at a time");

    const stream = await fetch(`${app.url}/mcp`, { headers: { authorization: `Bearer ${key}` } });
    expect(stream.status).toBe(405);
    const big = await post(key, { ...LIST, padding: "x".repeat(200_000) });
    expect(big.status).toBe(413);
    const batch = await fetch(`${app.url}/mcp`, {
      method: "POST",
      headers: { "content-type": "text/plain", authorization: `Bearer ${key}` },
      body: "{}",
    });
    expect(batch.status).toBe(415);
  });

  it("takes what it changes from the budget of changes, together with those over the API", async () => {
    const tenantId = await app.mintTenant("Acme");
    const key = await app.mintKey(tenantId, ["proposals:write", "usage:read"]);
    const call = (name: string, given: object) =>
      post(key, { method: "tools/call", params: { name, arguments: given } });
    const cap = { amount: "1.00", reason: "A test" };
    expect((await call("propose_spend_cap", cap)).text).toContain("proposalId");
    await eventually(async () => {
      let status = 0;
      while (status !== 429) {
        ({ status } = await app.call(key, "POST", `/v1/tenants/${tenantId}/proposals`, {}));
      }
      // Unless the machine took so long that there is room for one again.
      expect((await call("propose_spend_cap", cap)).text).toContain("(TOO_MANY_WRITES)");
    });
    // What only reads goes on.
    expect((await call("get_limits", {})).text).not.toContain('isError":true');
  });

  it("bounds the requests of a tenant", async () => {
    const key = await app.mintKey(await app.mintTenant("Acme"), ["usage:read"]);
    const statuses: number[] = [];
    for (let sent = 0; sent < 2 * REQUESTS_MAX; sent += 1) {
      const response = await fetch(`${app.url}/mcp`, {
        headers: { authorization: `Bearer ${key}` },
      });
      await response.body?.cancel();
      statuses.push(response.status);
    }
    expect(statuses.slice(0, REQUESTS_MAX)).not.toContain(429);
    expect(statuses).toContain(429);
  });
});
