import { once } from "node:events";
import { connect } from "node:net";
import { SCOPES, TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import { ERROR_CODES, type ErrorCode, errorPageSlug } from "@turnpike/domain/errors/error-codes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { formatKey, KEY_RANDOM_BYTES } from "@turnpike/domain/keys/key-format";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { type ApiReply, startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { offerSetupCode } from "#modules/identity/index.ts";

const ALONE = {
  secret: "of the installation, 32 characters long",
  hasOthers: () => Promise.resolve(false),
};

const ALLOWED_ORIGIN = "https://app.example.com";
const CANARY = "canary-of-this-installation-0123456789";
const CONFIG = `
cors:
  origins: [${ALLOWED_ORIGIN}]
mail:
  smtp:
    host: mail.${CANARY}.example.com
    user: ${CANARY}
`;

/** What every refusal and failure looks like (RFC 9457), with the two names that some clients read. */
const problem = z.object({
  type: z.url(),
  title: z.string().min(1),
  status: z.number().int(),
  detail: z.string().min(1),
  code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
  requestId: z.string().regex(/^req_[0-9a-f]{32}$/),
  errors: z.array(
    z.strictObject({
      pointer: z.string(),
      message: z.string().min(1),
      fix: z.string().optional(),
    }),
  ),
  error: z.string(),
  message: z.string(),
});

let database: TestDatabase;
let app: TestApp;
let operator: string;
let tenantId: TenantId;
let tenantKey: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database, {
    configText: CONFIG,
    env: {
      TURNPIKE_SIGNING_SECRET: CANARY,
      TURNPIKE_SMTP_PASSWORD: CANARY,
      DATABASE_URL: `postgres://${CANARY}@127.0.0.1/x`,
    },
  });
  operator = await app.mintServiceKey(SCOPES);
  tenantId = await app.mintTenant("Acme");
  tenantKey = await app.mintKey(tenantId, TENANT_KEY_SCOPES);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

function expectProblem(reply: ApiReply, code: ErrorCode): z.infer<typeof problem> {
  expect(reply.headers.get("content-type"), reply.text).toBe("application/problem+json");
  const body = problem.parse(reply.json);
  const { status, title } = ERROR_CODES[code];
  expect(body).toMatchObject({
    code,
    status,
    title,
    type: `http://console.test/docs/errors/${errorPageSlug(code)}`,
    requestId: reply.headers.get("x-request-id"),
    error: body.detail,
    message: body.detail,
  });
  expect(reply.status).toBe(status);
  expect(reply.headers.get("cache-control")).toBe("no-store");
  expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  expect(reply.headers.get("keep-alive")).toBe("timeout=60");
  return body;
}

/** Sends bytes and reads until the server closes or has sent a whole answer. */
async function sendRaw(text: string): Promise<string> {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString();
  });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(text);
  await pollUntil("an answer", () => answer.includes("\r\n\r\n") || socket.closed);
  socket.destroy();
  return answer;
}

describe("a refusal", () => {
  const json = (body: string) => ({ headers: { "content-type": "application/json" }, body });
  const cases: [string, ErrorCode, string, string, RequestInit?][] = [
    ["a body that is no JSON", "INVALID_REQUEST", "POST", "/v1/tenants", json('{"name": ')],
    ["an empty body", "INVALID_REQUEST", "POST", "/v1/tenants", json("")],
    ["a body that is no object", "INVALID_REQUEST", "POST", "/v1/tenants", json('"text"')],
    ["a wrong value", "INVALID_REQUEST", "POST", "/v1/tenants", json('{"name":""}')],
    ["a wrong query", "INVALID_REQUEST", "GET", "/v1/tenants?limit=1000"],
    ["a query that stands twice", "INVALID_REQUEST", "GET", "/v1/tenants?limit=1&limit=2"],
    ["an unknown query", "INVALID_REQUEST", "GET", "/v1/tenants?nonsense=1"],
    ["an id of another kind", "INVALID_REQUEST", "GET", "/v1/tenants/key_1"],
    [
      "another content type",
      "UNSUPPORTED_MEDIA_TYPE",
      "POST",
      "/v1/tenants",
      { body: "name=x", headers: { "content-type": "application/x-www-form-urlencoded" } },
    ],
    [
      "a type that begins like JSON",
      "UNSUPPORTED_MEDIA_TYPE",
      "POST",
      "/v1/tenants",
      { body: "{}", headers: { "content-type": "application/json-patch+json" } },
    ],
    [
      "another content type on a hot route",
      "UNSUPPORTED_MEDIA_TYPE",
      "POST",
      "/v1/keys/verify",
      { body: "{}", headers: { "content-type": "text/plain" } },
    ],
    ["no JSON on a hot route", "INVALID_REQUEST", "POST", "/v1/keys/verify", json("{")],
    ["an address that is none", "RESOURCE_NOT_FOUND", "GET", "/v1/nothing/here"],
    ["an address that is none, by POST", "RESOURCE_NOT_FOUND", "POST", "/nothing", json("{}")],
    ["the root of the API", "RESOURCE_NOT_FOUND", "GET", "/v1"],
    ["a path with broken escapes", "RESOURCE_NOT_FOUND", "GET", "/v1/%E0%A4%A"],
    ["a name with broken escapes", "INVALID_REQUEST", "GET", "/v1/tenants/%E0%A4%A"],
    ["a method that an operation does not have", "METHOD_NOT_ALLOWED", "DELETE", "/v1/plans"],
    ["a method that a hot route does not have", "METHOD_NOT_ALLOWED", "GET", "/v1/keys/verify"],
    ["a method that the health does not have", "METHOD_NOT_ALLOWED", "POST", "/health/live"],
  ];
  it.each(cases)("of %s is a problem document with %s", async (_what, code, method, path, init) => {
    const headers = { authorization: `Bearer ${operator}`, ...init?.headers };
    const response = await fetch(app.url + path, { ...init, method, headers });
    const text = await response.text();
    const reply = {
      status: response.status,
      headers: response.headers,
      text,
      json: JSON.parse(text),
    };
    expectProblem(reply, code);
  });

  it("of a missing thing, a missing credential and a missing scope is a problem document", async () => {
    const none = `/v1/tenants/ten_${"0".repeat(32)}`;
    expectProblem(await app.call(operator, "GET", none), "RESOURCE_NOT_FOUND");
    expectProblem(await app.call(undefined, "GET", none), "UNAUTHENTICATED");
    expectProblem(
      await app.call(tenantKey, "POST", "/v1/tenants", { name: "X" }),
      "INSUFFICIENT_SCOPE",
    );
    const taken = { name: "X", slug: "acme" };
    expectProblem(await app.call(operator, "POST", "/v1/tenants", taken), "ALREADY_EXISTS");
    expectProblem(
      await app.call(await app.mintIdToken(), "POST", "/v1/setup/claim", { code: "no" }),
      "SETUP_CODE_INVALID",
    );
  });

  it("points at every value that is wrong", async () => {
    const body = {
      name: "",
      scopes: ["keys:read", "catalog:write"],
      environment: "prod",
      extra: 1,
    };
    const reply = await app.call(operator, "POST", `/v1/tenants/${tenantId}/keys`, body);
    const { errors } = expectProblem(reply, "INVALID_REQUEST");
    expect(errors.map((error) => error.pointer).sort()).toEqual([
      "/environment",
      "/extra",
      "/name",
      "/scopes/1",
    ]);
  });

  it("of a method names the methods that the address takes, all of them", async () => {
    const allow = async (method: string, path: string) => {
      const reply = await app.call(operator, method, path);
      expectProblem(reply, "METHOD_NOT_ALLOWED");
      return reply.headers.get("allow")?.split(", ").sort();
    };
    expect(await allow("PUT", "/v1/tenants")).toEqual(["GET", "POST"]);
    expect(await allow("DELETE", `/v1/tenants/${tenantId}/files`)).toEqual(["GET", "PUT"]);
    expect(await allow("GET", "/v1/keys/verify")).toEqual(["POST"]);
    expect(await allow("PATCH", "/health/ready")).toEqual(["GET"]);
  });

  it("of a failure of ours says nothing but the request id, by which the log has the cause", async () => {
    await database.sql`alter table plan_versions rename to hidden_versions`;
    const reply = await app.call(operator, "GET", "/v1/plans");
    await database.sql`alter table hidden_versions rename to plan_versions`;
    const { requestId } = expectProblem(reply, "INTERNAL_ERROR");
    expect(reply.text).not.toMatch(/plan_versions|relation|postgres|\bat \//i);
    const line = app
      .logged()
      .split("\n")
      .find((entry) => entry.includes(requestId));
    expect(line).toContain("plan_versions");
  });
});

describe("a body", () => {
  it.each([
    ["/v1/tenants", 1024 * 1024],
    ["/v1/keys/verify", 20_480],
  ])("of %s may have %i bytes", async (path, bytesMax) => {
    const padded = (length: number) => `{"name":"Padded"${" ".repeat(length - 17)}}`;
    const good = await app.call(operator, "POST", path, padded(bytesMax));
    expect(good.status).not.toBe(413);
    expectProblem(
      await app.call(operator, "POST", path, padded(bytesMax + 1)),
      "PAYLOAD_TOO_LARGE",
    );
  });

  it("without a stated length is read up to the limit, and its refusal arrives", async () => {
    const head = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operator}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const small = await sendRaw(`${head("/v1/keys/verify")}f\r\n{"key":"abcde"}\r\n0\r\n\r\n`);
    expect(small).toContain("HTTP/1.1 200 OK");
    const chunk = `400\r\n${" ".repeat(1024)}\r\n`;
    const large = await sendRaw(head("/v1/keys/verify") + chunk.repeat(24));
    expect(large).toContain("HTTP/1.1 413");
    expect(large.toLowerCase()).toContain("connection: close");
    const management = await sendRaw(`${head("/v1/tenants")}${chunk}`);
    expect(management).toContain("HTTP/1.1 400");
  });

  it("that stops in the middle holds up no other request", async () => {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write(
      `POST /v1/keys/verify HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operator}\r\nContent-Length: 50\r\n\r\n{`,
    );
    expect((await app.call(operator, "GET", "/v1/plans")).status).toBe(200);
    socket.destroy();
    expect((await app.call(operator, "GET", "/v1/plans")).status).toBe(200);
    expect(app.logged()).not.toContain("client left");
  });
});

describe("an expectation that cannot be met", () => {
  it.each(["/v1/keys/verify", "/v1/tenants", "/"])(
    "is refused at %s like anything",
    async (path) => {
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operator}\r\n`;
      const answer = await sendRaw(`${head}Expect: a-miracle\r\nContent-Length: 2\r\n\r\n{}`);
      expect(answer).toMatch(/^HTTP\/1\.1 417 /);
      expect(answer).toMatch(/^x-content-type-options: nosniff\r$/m);
      expect(answer).toMatch(/^referrer-policy: no-referrer\r$/m);
      expect(answer).toMatch(/^x-request-id: req_[0-9a-f]{32}\r$/m);
      expect(answer).toMatch(/^content-type: application\/problem\+json\r$/m);
    },
  );
});

describe("HEAD", () => {
  it.each(["/v1/plans", "/health/live", "/config.json", "/v1/openapi.json"])(
    "answers %s with the head of GET and no body",
    async (path) => {
      const reply = await app.call(operator, "HEAD", path);
      const get = await app.call(operator, "GET", path);
      expect(reply).toMatchObject({ status: 200, text: "" });
      expect(reply.headers.get("content-type")).toBe(get.headers.get("content-type"));
    },
  );

  it("refuses without a body, too, and leaves the connection in order", async () => {
    const reply = await app.call(undefined, "HEAD", "/v1/tenants");
    expect(reply).toMatchObject({ status: 401, text: "" });
    expect((await app.call(operator, "HEAD", "/v1/nothing")).status).toBe(404);
    expect((await app.call(operator, "GET", "/v1/plans")).status).toBe(200);
  });
});

describe("pages of other sites", () => {
  const from = (origin: string, init: RequestInit = {}) =>
    fetch(`${app.url}/v1/plans`, {
      ...init,
      headers: { authorization: `Bearer ${operator}`, origin, ...init.headers },
    });

  it("of an allowed origin may read answers and refusals", async () => {
    const response = await from(ALLOWED_ORIGIN);
    expect(response.headers.get("access-control-allow-origin")).toBe(ALLOWED_ORIGIN);
    expect(response.headers.get("vary")).toContain("Origin");
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
    const refused = await from(ALLOWED_ORIGIN, { headers: { authorization: "Bearer no" } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("access-control-allow-origin")).toBe(ALLOWED_ORIGIN);
    expect(refused.headers.get("access-control-expose-headers")).toContain("X-Request-Id");
  });

  it.each([
    "https://evil.example.com",
    "https://app.example.com.evil.com",
    "http://app.example.com",
    "null",
    `${ALLOWED_ORIGIN}/`,
  ])("of %s may not, and no cache may hand the answer on", async (origin) => {
    const response = await from(origin);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(response.headers.get("vary")).toContain("Origin");
  });

  it("ask first, and only an allowed origin gets a yes", async () => {
    const ask = {
      method: "OPTIONS",
      headers: {
        authorization: "",
        "access-control-request-method": "PATCH",
        "access-control-request-headers": "authorization,content-type",
      },
    };
    const yes = await from(ALLOWED_ORIGIN, ask);
    expect(yes.status).toBe(204);
    expect(yes.headers.get("access-control-allow-methods")).toContain("PATCH");
    expect(yes.headers.get("access-control-allow-headers")?.toLowerCase()).toContain(
      "authorization",
    );
    const no = await from("https://evil.example.com", ask);
    expect(no.status).toBeGreaterThanOrEqual(400);
    expect(no.headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("what anybody can read", () => {
  it("of the configuration is what a browser must know, and no secret", async () => {
    const reply = await app.call(undefined, "GET", "/config.json");
    expect(reply.json).toEqual({
      brand: { name: "Turnpike", accent: "#f5c400" },
      urls: {
        console: "http://console.test",
        api: "http://console.test",
        gateway: "http://gateway.test",
      },
      version: "0.0.0-test",
      identity: {
        providers: [
          {
            id: "builtin",
            kind: "builtin",
            name: "Turnpike",
            issuer: "http://console.test/idp",
            clientId: "console",
          },
        ],
        passwordRules: { lengthMin: 12 },
        confirmEmail: true,
      },
      documents: { kind: "turnpike", url: "http://console.test/v1" },
      files: { kind: "turnpike", url: "http://console.test/v1" },
      gateway: { isDemo: true, refusesTestKeys: false },
      calls: { areLogged: false },
      reference: null,
      mail: { delivers: true },
      contact: null,
    });
    expect(reply.text).not.toContain(CANARY);
  });

  it("of the health is whether each part works", async () => {
    expect((await app.call(undefined, "GET", "/health/live")).json).toEqual({ status: "live" });
    const ready = await app.call("garbage", "GET", "/health/ready");
    expect(ready).toMatchObject({ status: 200, json: { parts: { database: { status: "ok" } } } });
    expect(ready.text).not.toContain(CANARY);
  });
});

describe("the log", () => {
  it("holds no key, no setup code and no credential, after anything that was sent or failed", async () => {
    const code = (await offerSetupCode(app.services, ALONE)) ?? "";
    const unknown = formatKey("live", app.services.randomBytes(KEY_RANDOM_BYTES)).key;
    await app.call(unknown, "GET", "/v1/plans");
    await app.call(`Bearer-${CANARY}`, "GET", "/v1/plans");
    await app.call(operator, "POST", "/v1/keys/verify", { key: unknown });
    await app.call(operator, "GET", `/v1/tenants?cursor=${unknown}`);
    const person = await app.mintIdToken();
    const forged = `${person.slice(0, -10)}forged_sig`;
    await app.call(person, "POST", "/v1/setup/claim", { code: `${code}x` });
    await app.call(undefined, "POST", "/v1/setup/check", { code });
    await app.call(forged, "GET", "/v1/tenants");
    await app.call(undefined, "POST", "/auth/verify", { token: forged });
    await app.call(undefined, "POST", "/v1/invitations/preview", { token: unknown });
    await database.sql`alter table api_keys rename to hidden_keys`;
    const failed = await app.call(operator, "POST", `/v1/tenants/${tenantId}/keys`, {
      name: unknown,
    });
    await database.sql`alter table hidden_keys rename to api_keys`;
    expect(failed.status).toBe(500);
    const claimed = await app.call(person, "POST", "/v1/setup/claim", { code });
    expect(claimed.status).toBe(200);
    await fetch(`${app.gatewayUrl}/x?api_key=${unknown}`, { headers: { "x-api-key": tenantKey } });
    const log = app.logged();
    expect(log).toContain(failed.json.requestId);
    for (const secret of [unknown, operator, tenantKey, person, forged, code, CANARY]) {
      expect(log).not.toContain(secret.slice(-30));
    }
  });
});

describe("the gateway", () => {
  it("keeps the key from the upstream and refuses a revoked one", async () => {
    const made = (
      await app.call(operator, "POST", `/v1/tenants/${tenantId}/keys`, { name: "Brief" })
    ).json;
    const get = () => fetch(`${app.gatewayUrl}/hello`, { headers: { "x-api-key": made.key } });
    expect((await get()).status).toBe(200);
    const seen = app.upstream.requests.at(-1);
    expect(seen?.rawHeaders.join("\n")).not.toContain(made.key);
    expect(seen?.header("x-turnpike-tenant")).toBe(tenantId);
    await app.call(operator, "POST", `/v1/tenants/${tenantId}/keys/${made.keyId}/revoke`, {});
    await pollUntil("the refusal", async () => (await get()).status === 401);
  });
});

describe("a process that is asked to stop", () => {
  it("says so, finishes what is under way, and takes nothing new", async () => {
    const own = await startTestApp(database);
    const key = await own.mintServiceKey(["catalog:read"]);
    const { hostname, port } = new URL(own.url);
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk.toString();
    });
    await once(socket, "connect");
    socket.write(`GET /v1/plans HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`);
    // The head is not complete, so the connection is not idle.
    await own.call(key, "GET", "/v1/plans");
    own.drain();
    await expect(own.call(key, "GET", "/v1/plans")).rejects.toThrow();
    socket.write("\r\n");
    await pollUntil("the answer", () => answer.includes("}"));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    socket.destroy();
    await own.close();
  });
});
