import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { openRawConnection } from "@turnpike/testkit/raw-http";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { parseList } from "structured-headers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProblemRenderer } from "#http/problem-details.ts";
import { systemClock } from "#platform/clock.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createForwardAuth, DENIAL_TICKET_HEADER } from "./forward-auth.ts";

let database: TestDatabase;
let app: TestApp;
let operator: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database, { configText: "trustedProxies: [127.0.0.1]\n" });
  operator = await app.mintServiceKey([
    "tenants:write",
    "catalog:write",
    "keys:write",
    "usage:read",
  ]);
  const catalog = {
    meters: [{ meterId: "requests", name: "Requests", unit: "request", aggregation: "count" }],
    plans: [
      { planId: "three", name: "Three", quotas: [{ meter: "requests", limit: 3, kind: "hard" }] },
      {
        planId: "one-a-minute",
        name: "One",
        rateLimits: [{ name: "burst", limit: 1, windowSeconds: 60 }],
      },
    ],
  };
  expect((await app.call(operator, "PUT", "/v1/catalog", catalog)).status).toBe(200);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

/** A question as a proxy asks it; headers as a flat list, so that they can be sent twice. */
function ask(
  path: string,
  headers: readonly string[],
  options: { method?: string; localAddress?: string; url?: string } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(options.url ?? app.url);
  return new Promise((resolve, reject) => {
    const req = request(
      {
        hostname,
        port,
        path,
        method: options.method ?? "GET",
        headers: ["Host", "proxy", ...headers],
        ...options,
      },
      (res) => {
        let body = "";
        res.setEncoding("utf8").on("data", (chunk: string) => {
          body += chunk;
        });
        res.on("end", () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body }));
      },
    );
    req.on("error", reject);
    req.end();
  });
}

/** Fetches the answer to a denial as nginx does. */
function renderDenial(denied: Answer, options: { url?: string } = {}): Promise<Answer> {
  const ticket = String(denied.headers[DENIAL_TICKET_HEADER]);
  return ask("/v1/authorize/nginx/denied", ["X-Turnpike-Denial", ticket], options);
}

/** Forward auth alone, where nothing is ever decided. */
async function startBareForwardAuth({
  trustedProxies = [] as readonly string[],
  isSaturated = false,
} = {}) {
  const log: { level: string; peer?: string }[] = [];
  const nothing = () => expect.fail("nothing is decided");
  const serve = createForwardAuth(
    {
      decideCall: nothing,
      callRecorder: {
        isSaturated,
        recordAdmitted: nothing,
        recordUnits: () => undefined,
        recordUnsent: nothing,
        recordAllowed: nothing,
        recordDenied: nothing,
        recordMeasure: nothing,
        abandon: nothing,
      },
      renderProblem: createProblemRenderer("http://console.test/docs"),
      newId: newUuidId,
      clock: systemClock,
      logger: createLogger({
        level: "info",
        destination: { write: (line) => void log.push(JSON.parse(line)) },
      }),
    },
    {
      trustedProxies,
      signingSecret: "a signing secret that only tests use",
      plansUrl: "http://console.test/plans",
    },
  );
  const server = createServer(serve.handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    log,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const CALL = [
  "X-Forwarded-Method",
  "POST",
  "X-Forwarded-Uri",
  "/v1/maps?q=1",
  "X-Forwarded-For",
  "192.0.2.7",
];

async function makeKey(name: string): Promise<{ tenantId: TenantId; key: string }> {
  const tenantId = await app.mintTenant(name);
  return { tenantId, key: await app.mintKey(tenantId, []) };
}

async function callsOf(tenantId: TenantId): Promise<number> {
  const [row] = await database.sql<{ calls: number }[]>`
    select coalesce(sum(calls), 0)::int as calls from ledger_entries where tenant_id = ${tenantId}`;
  return row?.calls ?? 0;
}

async function moveTo(tenantId: TenantId, planId: string): Promise<void> {
  const reply = await app.call(operator, "PATCH", `/v1/tenants/${tenantId}`, { planId });
  expect(reply.status).toBe(200);
}

/** Reads the RateLimit fields as RFC 9651 says, and finds the limit in both. */
function expectRateLimitFields(
  headers: IncomingHttpHeaders,
  expected: { name: string; limit: number; remaining?: number },
): void {
  const policies = parseList(String(headers["ratelimit-policy"]));
  const states = parseList(String(headers["ratelimit"]));
  expect(states.map(([name]) => name)).toEqual(policies.map(([name]) => name));
  const policy = policies.find(([name]) => name === expected.name)?.[1];
  const state = states.find(([name]) => name === expected.name)?.[1];
  expect(policy?.get("q")).toBe(expected.limit);
  expect(Number(policy?.get("w"))).toBeGreaterThan(0);
  expect(Number(state?.get("r"))).toBeLessThanOrEqual(expected.limit);
  expect(state?.get("r")).toBe(expected.remaining ?? state?.get("r"));
  const waitSeconds = Number(state?.get("t"));
  expect(waitSeconds).toBeGreaterThan(0);
  // A client that waits as the header says never comes before there is more.
  expect(Number(headers["retry-after"] ?? waitSeconds)).toBeGreaterThanOrEqual(waitSeconds);
}

const IDENTITY = [
  "x-turnpike-tenant",
  "x-turnpike-key",
  "x-turnpike-environment",
  "x-turnpike-plan",
  "x-turnpike-scopes",
];

describe("an allowed call", () => {
  it("is answered 200 with every identity header, in every dialect, and counted once", async () => {
    const { tenantId, key } = await makeKey("Allowed");
    const questions = ["/v1/authorize/nginx", "/v1/authorize/caddy", "/v1/authorize/traefik"];
    for (const path of questions) {
      const answer = await ask(path, [...CALL, "X-Api-Key", key]);
      expect(answer).toMatchObject({ status: 200, body: "" });
      expect(answer.headers["x-turnpike-tenant"]).toBe(tenantId);
      expect(IDENTITY.filter((name) => !answer.headers[name])).toEqual([]);
      expect(answer.headers["cache-control"]).toBe("no-store");
      expectRateLimitFields(answer.headers, { name: "requests", limit: 50_000 });
    }
    await pollUntil(
      "usage is committed",
      async () => (await callsOf(tenantId)) === questions.length,
    );
  });

  it("never reads its query: Caddy appends the caller's own", async () => {
    const { key } = await makeKey("Query");
    const answer = await ask("/v1/authorize/caddy?dialect=nginx&method=GET", [
      ...CALL,
      "X-Api-Key",
      key,
    ]);
    expect(answer.status).toBe(200);
  });

  it("is taken from the question itself by Envoy regardless of its method", async () => {
    const { key } = await makeKey("Envoy");
    for (const method of ["GET", "POST", "DELETE", "PATCH"]) {
      const answer = await ask(
        "/v1/authorize/envoy/v1/maps?q=1",
        ["Authorization", `Bearer ${key}`],
        { method },
      );
      expect(answer.status).toBe(200);
    }
  });

  /** Head of a question by Envoy, in bytes, the last one of its connection. */
  const question = (key: string, lines = "") =>
    `POST /v1/authorize/envoy/v1/maps HTTP/1.1\r\nHost: proxy\r\nConnection: close\r\nX-Api-Key: ${key}\r\n${lines}\r\n`;

  /** Statuses of the answers to some bytes, and to the end of this side when they break off. */
  async function exchange(bytes: string, breaksOff = false): Promise<number[]> {
    const connection = await openRawConnection(Number(new URL(app.url).port));
    connection.write(bytes);
    if (breaksOff) {
      connection.socket.end();
    }
    const answer = await connection.readToEnd(30_000);
    connection.destroy();
    return [...answer.bytes.toString("latin1").matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) =>
      Number(status),
    );
  }

  /** Calls of a tenant, once all that was recorded so far is committed: in the order in which it was recorded. */
  async function callsOnceCommitted(tenantId: TenantId): Promise<number> {
    const before = await makeKey("Marker");
    expect(await exchange(question(before.key))).toEqual([200]);
    await pollUntil("the marker is committed", async () => (await callsOf(before.tenantId)) === 1);
    return await callsOf(tenantId);
  }

  it.each([
    ["announced", "Content-Length: 4\r\n", "body"],
    ["in chunks", "Transfer-Encoding: chunked\r\n", "4\r\nbody\r\n0\r\n\r\n"],
  ])("may have a body, %s, that its proxy hands on", async (_, lines, body) => {
    const { tenantId, key } = await makeKey("With a body");
    expect(await exchange(question(key, lines) + body)).toEqual([200]);
    expect(await callsOnceCommitted(tenantId)).toBe(1);
  });

  const chunked = "Transfer-Encoding: chunked\r\n";
  it.each([
    ["in an unknown coding", "Transfer-Encoding: gzip\r\n", "", false],
    ["in an unknown coding before chunks", "Transfer-Encoding: x, chunked\r\n", "0\r\n\r\n", false],
    ["whose chunks are none", chunked, "xyz\r\nbody\r\n0\r\n\r\n", false],
    ["that ends before its last chunk", chunked, "4\r\nbody\r\n", true],
    ["that is shorter than it says", "Content-Length: 9\r\n", "body", true],
  ])(
    "is none when its question has a body %s: nothing is counted",
    async (_, lines, body, breaksOff) => {
      const { tenantId, key } = await makeKey("Broken");
      // An unknown key is looked up first; a known one is decided at once.
      for (let turn = 0; turn < 2; turn += 1) {
        expect(await exchange(question(key, lines) + body, breaksOff)).toEqual([400]);
        expect(await exchange(question(key))).toEqual([200]);
      }
      expect(await callsOnceCommitted(tenantId)).toBe(2);
    },
  );

  it("is allowed although the bytes behind its question are not HTTP, and counted once", async () => {
    const { tenantId, key } = await makeKey("Garbage behind");
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await exchange(`${question(key)}no http\r\n\r\n`)).toEqual([200]);
    }
    expect(await callsOnceCommitted(tenantId)).toBe(2);
  });

  it("passes for a preflight without a key, with no identity and uncounted", async () => {
    const preflight = [
      "X-Forwarded-Method",
      "OPTIONS",
      "X-Forwarded-Uri",
      "/v1/maps",
      "Origin",
      "https://app.example.com",
      "Access-Control-Request-Method",
      "POST",
    ];
    const answer = await ask("/v1/authorize/caddy", preflight);
    expect(answer.status).toBe(200);
    expect(IDENTITY.map((name) => answer.headers[name])).toEqual(["-", "-", "-", "-", "-"]);
    // One with a body is a call like any other, as in the gateway.
    const withBody = await ask("/v1/authorize/caddy", [...preflight, "Content-Length", "2"]);
    expect(withBody.status).toBe(401);
  });
});

describe("a denied call", () => {
  it("is answered with status, reason and CORS as the gateway answers", async () => {
    const { tenantId, key } = await makeKey("Used up");
    await moveTo(tenantId, "three");
    const statuses: number[] = [];
    let last = await ask("/v1/authorize/traefik", [...CALL, "X-Api-Key", key]);
    for (let call = 0; call < 5; call += 1) {
      last = await ask("/v1/authorize/traefik", [...CALL, "X-Api-Key", key]);
      statuses.push(last.status);
    }
    expect(statuses.slice(-2)).toEqual([429, 429]);
    expect(JSON.parse(last.body)).toMatchObject({
      code: "QUOTA_EXCEEDED",
      limit: { limit: 3, remaining: 0 },
    });
    expect(last.headers["content-type"]).toBe("application/problem+json");
    expect(last.headers["access-control-allow-origin"]).toBe("*");
    expect(Number(last.headers["retry-after"])).toBeGreaterThan(0);
    expectRateLimitFields(last.headers, { name: "requests", limit: 3, remaining: 0 });
  });

  it.each([
    ["no key", [], "MISSING_KEY", "Bearer"],
    ["an unknown key", ["X-Api-Key", "unknown"], "INVALID_KEY", 'Bearer error="invalid_token"'],
  ] as const)(
    "says so for %s, and by which scheme a key is sent",
    async (_name, headers, code, scheme) => {
      const answer = await ask("/v1/authorize/caddy", [...CALL, ...headers]);
      expect(answer.status).toBe(401);
      expect(JSON.parse(answer.body)).toMatchObject({ code });
      expect(answer.headers["www-authenticate"]).toBe(scheme);
    },
  );

  it("reaches nginx as 403 with a ticket, and the ticket renders the first decision without a second one", async () => {
    const { tenantId, key } = await makeKey("Nginx");
    await moveTo(tenantId, "one-a-minute");
    const allowed = await pollUntil("the plan is in force", async () => {
      const answer = await ask("/v1/authorize/nginx", [...CALL, "X-Api-Key", key]);
      return answer.headers["x-turnpike-plan"] === "one-a-minute" ? answer : undefined;
    });
    expect(allowed.status).toBe(200);
    const denied = await ask("/v1/authorize/nginx", [...CALL, "X-Api-Key", key]);
    expect(denied.status).toBe(403);
    const ticket = String(denied.headers["x-turnpike-denial"]);
    const before = await pollUntil(
      "usage is committed",
      async () => (await callsOf(tenantId)) || undefined,
    );
    const rendered = await ask("/v1/authorize/nginx/denied", [
      "X-Turnpike-Denial",
      ticket,
      "X-Api-Key",
      key,
    ]);
    expect(rendered.status).toBe(429);
    const problem: unknown = JSON.parse(rendered.body);
    expect(problem).toMatchObject({ code: "RATE_LIMITED", limit: { name: "burst", limit: 1 } });
    expect(problem).toHaveProperty("requestId", denied.headers["x-request-id"]);
    expect(Number(rendered.headers["retry-after"])).toBeGreaterThan(0);
    expect(await callsOf(tenantId)).toBeLessThanOrEqual(before + 1);
  });

  it("is never rendered as allowed, with any ticket", async () => {
    const { key } = await makeKey("Forger");
    const denied = await ask("/v1/authorize/nginx", CALL);
    const ticket = String(denied.headers["x-turnpike-denial"]);
    const [payload = "", signature = ""] = ticket.split(".");
    const forged = Buffer.from(
      JSON.stringify({ code: "VALID", detail: "", nowMs: Date.now() }),
    ).toString("base64url");
    for (const shown of [
      "",
      "x",
      payload,
      `${payload}.`,
      `${forged}.${signature}`,
      `${ticket}x`,
      `${ticket}.x`,
      "x".repeat(5_000),
    ]) {
      const answer = await ask("/v1/authorize/nginx/denied", [
        "X-Turnpike-Denial",
        shown,
        "X-Api-Key",
        key,
      ]);
      expect(answer.status).toBe(503);
    }
    expect((await ask("/v1/authorize/nginx/denied", ["X-Api-Key", key])).status).toBe(503);
    expect((await ask("/v1/authorize/nginx/denied", ["X-Turnpike-Denial", ticket])).status).toBe(
      401,
    );
  });
});

describe("a question", () => {
  it("is refused when it can be read in two ways", async () => {
    const { key } = await makeKey("Two ways");
    const hostile: readonly (readonly string[])[] = [
      [...CALL, "X-Api-Key", key, "X-Api-Key", "other"],
      [...CALL, "X-Api-Key", key, "X-Forwarded-Uri", "/other"],
      [...CALL, "X-Api-Key", key, "X_Forwarded_Uri", "/other"],
      [...CALL, "X-Api-Key", key, "X_Api_Key", "other"],
      ["X-Forwarded-Method", "POST", "X-Api-Key", key],
      ["X-Forwarded-Uri", "/v1/maps", "X-Api-Key", key],
      ["X-Forwarded-Method", "PO ST", "X-Forwarded-Uri", "/v1/maps", "X-Api-Key", key],
      ["X-Forwarded-Method", "POST", "X-Forwarded-Uri", "http://elsewhere/", "X-Api-Key", key],
      ["X-Forwarded-Method", "POST", "X-Forwarded-Uri", "/a\\b", "X-Api-Key", key],
      [...CALL, "X-Api-Key", key, "X-Turnpike-Admin", "1"],
    ];
    for (const headers of hostile) {
      const answer = await ask("/v1/authorize/caddy", headers);
      expect([answer.status, headers.join(" ")]).toEqual([400, headers.join(" ")]);
      const denied = await ask("/v1/authorize/nginx", headers);
      expect(denied.status).toBe(403);
      const rendered = await renderDenial(denied);
      expect([rendered.status, JSON.parse(rendered.body)]).toEqual([
        400,
        { ...JSON.parse(answer.body), requestId: denied.headers["x-request-id"] },
      ]);
    }
  });

  it("is answered for trusted proxies alone, in the dialect of nginx too", async () => {
    const { key } = await makeKey("Stranger");
    for (const dialect of ["caddy", "nginx", "traefik"]) {
      const answer = await ask(`/v1/authorize/${dialect}`, [...CALL, "X-Api-Key", key], {
        localAddress: "127.0.0.2",
      });
      const shown = dialect === "nginx" ? await renderDenial(answer) : answer;
      expect([answer.status, shown.status]).toEqual([403, 403]);
      expect(shown.body).toContain("trustedProxies");
    }
  });

  it("of a proxy that is not trusted is logged once for its address, and of a hundred at most", async () => {
    await using bare = await startBareForwardAuth();
    const askFrom = (localAddress: string) =>
      ask("/v1/authorize/nginx", CALL, { localAddress, url: bare.url });
    await askFrom("127.0.0.2");
    await askFrom("127.0.0.2");
    await askFrom("127.0.0.3");
    expect(bare.log.map(({ level, peer }) => [level, peer])).toEqual([
      ["warn", "127.0.0.2"],
      ["warn", "127.0.0.3"],
    ]);
    for (let host = 1; host <= 150; host += 1) {
      expect((await askFrom(`127.0.1.${String(host)}`)).status).toBe(403);
    }
    expect(bare.log.length).toBe(100);
  });

  it("that cannot be decided tells nginx's caller why, and when to come again", async () => {
    await using bare = await startBareForwardAuth({
      trustedProxies: ["127.0.0.1"],
      isSaturated: true,
    });
    const { url } = bare;
    const denied = await ask("/v1/authorize/nginx", [...CALL, "X-Api-Key", "k"], { url });
    expect(denied.status).toBe(403);
    const rendered = await renderDenial(denied, { url });
    expect([rendered.status, rendered.headers["retry-after"]]).toEqual([503, "5"]);
    expect(JSON.parse(rendered.body)).toMatchObject({
      code: "OVERLOADED",
      detail: "Usage cannot be recorded at the moment.",
      requestId: denied.headers["x-request-id"],
    });
  });

  it("in an unknown dialect gets the list of dialects", async () => {
    const answer = await ask("/v1/authorize/apache", CALL);
    expect(answer.status).toBe(404);
    expect(answer.body).toContain("nginx, caddy, traefik, envoy");
  });
});
