import { contract } from "@turnpike/contract/contract";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

let database: TestDatabase;
let app: TestApp;
let operator: string;
let person: string;
let tenantId: TenantId;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  operator = await app.mintServiceKey(SCOPES);
  person = await app.mintIdToken();
  tenantId = await app.mintTenant("Acme");
});
afterAll(async () => {
  await app.close();
  await database.close();
});
afterEach(() => {
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
});

type Write = {
  id: string;
  method: string;
  path: string;
  body: Record<string, unknown>;
  /** Nothing in it is required, so none at all is fine. */
  hasOptionalBody?: true;
};

/** What no program may do. */
const PERSONAL = ["setup.claim", "invitations.accept"];
const DOCUMENT_PATH = "/v1/tenants/{tenantId}/documents/settings/main";

const METER = {
  meterId: "made",
  name: "M",
  unit: "unit",
  aggregation: "sum",
  eventType: "test.done",
  valuePointer: "/value",
};

const EXPORT_PATH = "/v1/tenants/{tenantId}/exports";
const EXPORTS: Write[] = [
  {
    id: "exports.create",
    method: "POST",
    path: EXPORT_PATH,
    body: { name: "E", format: "csv", question: { measures: "requests" } },
  },
  ...["cancel", "download"].map(
    (verb): Write => ({
      id: `exports.${verb}`,
      method: "POST",
      path: `${EXPORT_PATH}/exp_${"0".repeat(32)}/${verb}`,
      body: {},
      hasOptionalBody: true,
    }),
  ),
];

const ALERT_RULE = {
  query: { measure: "requests" },
  windowMinutes: 5,
  condition: { kind: "above", threshold: 100 },
};
const ALERT_PATH = `/v1/tenants/{tenantId}/alerts/alt_${"0".repeat(32)}`;
const ALERTS: Write[] = [
  {
    id: "alerts.create",
    method: "POST",
    path: "/v1/tenants/{tenantId}/alerts",
    body: { name: "A", ...ALERT_RULE },
  },
  {
    id: "alerts.update",
    method: "PATCH",
    path: ALERT_PATH,
    body: { name: "A" },
    hasOptionalBody: true,
  },
  ...["pause", "resume", "test"].map(
    (verb): Write => ({
      id: `alerts.${verb}`,
      method: "POST",
      path: `${ALERT_PATH}/${verb}`,
      body: {},
      hasOptionalBody: true,
    }),
  ),
  {
    id: "alerts.preview",
    method: "POST",
    path: "/v1/tenants/{tenantId}/alert-preview",
    body: ALERT_RULE,
  },
  {
    id: "alerts.setQuotaAlerts",
    method: "PUT",
    path: "/v1/tenants/{tenantId}/quota-alerts",
    body: { thresholds: [80], mailRoles: ["owner"] },
  },
];

/** Those of a tenant, and those of the operator at the same places without one. */
const WEBHOOKS = [
  { module: "webhooks", path: "/v1/tenants/{tenantId}/webhooks" },
  { module: "operatorWebhooks", path: "/v1/webhooks" },
].flatMap(({ module, path }): Write[] => {
  const one = `${path}/whk_${"0".repeat(32)}`;
  const delivery = `${one}/deliveries/msg_${"0".repeat(32)}`;
  return [
    // An address of the internet: nothing is sent to it, since no job runs here.
    { id: `${module}.create`, method: "POST", path, body: { url: "https://1.1.1.1/hook" } },
    {
      id: `${module}.update`,
      method: "PATCH",
      path: one,
      body: { description: "D" },
      hasOptionalBody: true,
    },
    {
      id: `${module}.rotateSecret`,
      method: "POST",
      path: `${one}/rotate-secret`,
      body: { graceSeconds: 0 },
      hasOptionalBody: true,
    },
    {
      id: `${module}.test`,
      method: "POST",
      path: `${one}/test`,
      body: {},
      hasOptionalBody: true,
    },
    {
      id: `${module}.resend`,
      method: "POST",
      path: `${delivery}/resend`,
      body: {},
      hasOptionalBody: true,
    },
    {
      id: `${module}.replay`,
      method: "POST",
      path: `${one}/replay`,
      body: { since: "2026-01-15T00:00:00.000Z" },
    },
  ];
});

/** Every way to send a body, with a good one. */
const WRITES: Write[] = [
  { id: "tenants.create", method: "POST", path: "/v1/tenants", body: { name: "T" } },
  {
    id: "tenants.update",
    method: "PATCH",
    path: "/v1/tenants/{tenantId}",
    body: { name: "T" },
    hasOptionalBody: true,
  },
  {
    id: "tenants.delete",
    method: "POST",
    path: "/v1/tenants/{tenantId}/delete",
    body: { name: "Not its name" },
  },
  {
    id: "tenants.restore",
    method: "POST",
    path: "/v1/deleted-tenants/{tenantId}/restore",
    body: {},
    hasOptionalBody: true,
  },
  {
    id: "tenants.putMember",
    method: "PUT",
    path: `/v1/tenants/{tenantId}/members/usr_${"0".repeat(32)}`,
    body: { role: "viewer" },
  },
  {
    id: "tenants.ensureUser",
    method: "POST",
    path: "/v1/users",
    body: { issuer: "https://id.example.com", subject: "s" },
  },
  {
    id: "catalog.apply",
    method: "PUT",
    path: "/v1/catalog",
    body: structuredClone(SAMPLE_CATALOG) as never,
  },
  { id: "catalog.createMeter", method: "POST", path: "/v1/meters", body: METER },
  {
    id: "catalog.updateMeter",
    method: "PATCH",
    path: "/v1/meters/requests",
    body: { unit: "call" },
    hasOptionalBody: true,
  },
  { id: "events.previewMeter", method: "POST", path: "/v1/meters/preview", body: { meter: METER } },
  { id: "keys.create", method: "POST", path: "/v1/tenants/{tenantId}/keys", body: { name: "K" } },
  {
    id: "keys.import",
    method: "POST",
    path: "/v1/tenants/{tenantId}/keys/import",
    body: { rows: [{ hash: "0123456789abcdef".repeat(4), name: "K" }] },
  },
  {
    id: "keys.change",
    method: "POST",
    path: "/v1/tenants/{tenantId}/keys/bulk",
    body: { keyIds: [`key_${"0".repeat(32)}`], change: { action: "disable" } },
  },
  {
    id: "keys.revoke",
    method: "POST",
    path: `/v1/tenants/{tenantId}/keys/key_${"0".repeat(32)}/revoke`,
    body: {},
    hasOptionalBody: true,
  },
  {
    id: "keys.update",
    method: "PATCH",
    path: `/v1/tenants/{tenantId}/keys/key_${"0".repeat(32)}`,
    body: { name: "K" },
    hasOptionalBody: true,
  },
  {
    id: "keys.roll",
    method: "POST",
    path: `/v1/tenants/{tenantId}/keys/key_${"0".repeat(32)}/roll`,
    body: { graceSeconds: 60 },
  },
  { id: "keys.verify", method: "POST", path: "/v1/keys/verify", body: { key: "k" } },
  {
    id: "locks.settle",
    method: "POST",
    path: `/v1/locks/lck_${"0".repeat(32)}/settle`,
    body: { cost: 1 },
  },
  {
    id: "locks.release",
    method: "POST",
    path: `/v1/locks/lck_${"0".repeat(32)}/release`,
    body: {},
    hasOptionalBody: true,
  },
  {
    id: "serviceKeys.create",
    method: "POST",
    path: "/v1/service-keys",
    body: { name: "S", scopes: ["keys:read"] },
  },
  {
    id: "serviceKeys.revoke",
    method: "POST",
    path: `/v1/service-keys/svc_${"0".repeat(32)}/revoke`,
    body: {},
    hasOptionalBody: true,
  },
  ...WEBHOOKS,
  ...ALERTS,
  ...EXPORTS,
  { id: "setup.claim", method: "POST", path: "/v1/setup/claim", body: { code: "c" } },
  { id: "auth.verify", method: "POST", path: "/auth/verify", body: { token: "a.b.c" } },
  {
    id: "invitations.create",
    method: "POST",
    path: "/v1/tenants/{tenantId}/invitations",
    body: { email: "guest@example.com", role: "viewer" },
  },
  {
    id: "invitations.preview",
    method: "POST",
    path: "/v1/invitations/preview",
    body: { token: "t" },
  },
  {
    id: "invitations.accept",
    method: "POST",
    path: "/v1/invitations/accept",
    body: { token: "t" },
  },
  { id: "documents.put", method: "PUT", path: DOCUMENT_PATH, body: { body: { a: 1 } } },
  {
    id: "notifications.create",
    method: "POST",
    path: "/v1/tenants/{tenantId}/notifications",
    body: { kind: "k", title: "T", body: "B" },
  },
  {
    id: "notifications.markAllRead",
    method: "POST",
    path: "/v1/tenants/{tenantId}/notifications/read",
    body: { upTo: `ntf_${"0".repeat(32)}` },
  },
  {
    id: "notifications.markRead",
    method: "POST",
    path: `/v1/tenants/{tenantId}/notifications/ntf_${"0".repeat(32)}/read`,
    body: {},
    hasOptionalBody: true,
  },
];

const send = (write: Write, body: string) =>
  app.call(
    PERSONAL.includes(write.id) ? person : operator,
    write.method,
    write.path.replace("{tenantId}", tenantId),
    body,
  );

/** JSON text, because an object literal cannot have an own `__proto__`. */
function withMember(body: Record<string, unknown>, member: string): string {
  const text = JSON.stringify(body);
  return text === "{}" ? `{${member}}` : `${text.slice(0, -1)},${member}}`;
}

it("knows every operation of the contract that takes a body", () => {
  const withBody = Object.entries(contract).flatMap(([module, routes]) =>
    Object.entries(routes).flatMap(([name, procedure]) =>
      ["POST", "PUT", "PATCH"].includes(procedure["~orpc"].route.method ?? "")
        ? [`${module}.${name}`]
        : [],
    ),
  );
  // Beside the contract, and open to everybody.
  expect(WRITES.map((write) => write.id).sort()).toEqual([...withBody, "auth.verify"].sort());
});

describe.each(WRITES)("$id", (write) => {
  it.each([
    '"__proto__":{"polluted":true}',
    '"constructor":{"prototype":{"polluted":true}}',
    '"prototype":{"polluted":true}',
    '"__proto__.polluted":true',
    '"a[__proto__][polluted]":true',
    '"toString":1',
  ])("refuses the member %s", async (member) => {
    const reply = await send(write, withMember(write.body, member));
    expect(reply, reply.text).toMatchObject({ status: 400, json: { code: "INVALID_REQUEST" } });
  });

  it.each([
    '"tenantId":"ten_00000000000000000000000000000000"',
    '"userId":"usr_00000000000000000000000000000000"',
    '"keyId":"key_00000000000000000000000000000000"',
    '"createdAt":"2020-01-01T00:00:00.000Z"',
    '"createdBy":"operator:root"',
    '"revokedAt":null',
    '"suspendedAt":null',
    '"planVersion":7',
    '"periodAnchor":"2020-01-01T00:00:00.000Z"',
    '"state":"active"',
    '"start":"tp_live_abcd"',
    '"lastFour":"abcd"',
    '"revision":"1"',
    '"readAt":null',
    '"isDefault":true',
    '"version":9',
  ])("takes no field that is the server's to set: %s", async (member) => {
    const name = /"(\w+)"/.exec(member)?.[1] ?? "";
    const takesUser = ["notifications.create", "notifications.markAllRead"];
    const isInput = takesUser.includes(write.id) && name === "userId";
    const inPath =
      write.path.includes(`{${name}}`) ||
      (name === "userId" && write.path.includes("usr_")) ||
      (name === "keyId" && write.path.includes("/key_"));
    const reply = await send(write, withMember(write.body, member));
    if (inPath) {
      // The path wins: nothing is done to what the body names.
      expect(reply.status).toBeLessThan(500);
      const named = /"((?:ten|usr|key)_0+)"/.exec(member)?.[1];
      expect(reply.json?.tenantId ?? tenantId).not.toBe(name === "tenantId" ? named : "");
    } else if (!isInput) {
      expect(reply, reply.text).toMatchObject({ status: 400, json: { code: "INVALID_REQUEST" } });
    }
  });

  it.each(["null", "[]", "[{}]", '"text"', "1", "true", "{} {}", "[".repeat(10_000), "", " "])(
    "refuses the body %j unless none is needed",
    async (text) => {
      const reply = await send(write, text);
      if (write.hasOptionalBody && (text.trim() === "" || text === "null")) {
        expect(reply.status, reply.text).toBeLessThan(500);
      } else {
        // The hot route takes so little that the deep one is too large for it.
        expect([400, 413], reply.text).toContain(reply.status);
      }
    },
  );

  it("refuses, or stores as it is, any text in any of its fields, and never fails over one", async () => {
    const texts = [
      "\u0000",
      "a\u0000b",
      "\ud800",
      "a\udc00",
      "\u202eabc",
      "\u2028",
      "x".repeat(5_000),
      "' or 1=1 --",
      "%s%n",
      "../../etc/passwd",
      "\u{10ffff}",
      "<script>",
    ];
    for (const [field, value] of Object.entries(write.body)) {
      if (typeof value !== "string") {
        continue;
      }
      for (const text of texts) {
        const reply = await send(write, JSON.stringify({ ...write.body, [field]: text }));
        expect(reply.status, `${field}=${JSON.stringify(text)}: ${reply.text}`).toBeLessThan(500);
      }
    }
  });
});

describe("texts that a database cannot hold", () => {
  const broken = ["\u0000", "a\u0000", "\ud800"];
  const bodies: [string, string, string, (text: string) => object][] = [
    [
      "the external id of a tenant",
      "POST",
      "/v1/tenants",
      (text) => ({ name: "T", externalId: text }),
    ],
    ["the slug of a tenant", "POST", "/v1/tenants", (text) => ({ name: "T", slug: text })],
    [
      "the subject of a user",
      "POST",
      "/v1/users",
      (text) => ({ issuer: "https://i.example.com", subject: text }),
    ],
    [
      "the issuer of a user",
      "POST",
      "/v1/users",
      (text) => ({ issuer: `https://i.example.com/${text}`, subject: "s" }),
    ],
    [
      "the name of a user",
      "POST",
      "/v1/users",
      (text) => ({ issuer: "https://i.example.com", subject: "s", name: text }),
    ],
    [
      "a value of a key's metadata",
      "POST",
      "/v1/tenants/{tenantId}/keys",
      (text) => ({ name: "K", metadata: { a: text } }),
    ],
    [
      "a name in a key's metadata",
      "POST",
      "/v1/tenants/{tenantId}/keys",
      (text) => ({ name: "K", metadata: { [text]: "a" } }),
    ],
    ["the name of a key", "POST", "/v1/tenants/{tenantId}/keys", (text) => ({ name: text })],
    [
      "the description of a plan",
      "PUT",
      "/v1/catalog",
      (text) => ({ plans: [{ planId: "p", name: "P", description: text }] }),
    ],
    ["a document", "PUT", DOCUMENT_PATH, (text) => ({ body: { a: text } })],
    [
      "a notification",
      "POST",
      "/v1/tenants/{tenantId}/notifications",
      (text) => ({ kind: "k", title: "T", body: text }),
    ],
  ];
  it.each(bodies)("are refused as %s", async (_what, method, path, bodyOf) => {
    for (const text of broken) {
      const reply = await app.call(
        operator,
        method,
        path.replace("{tenantId}", tenantId),
        bodyOf(text),
      );
      expect(reply, reply.text).toMatchObject({ status: 400, json: { code: "INVALID_REQUEST" } });
    }
  });

  const queries = Object.entries(contract).flatMap(([module, routes]) =>
    Object.entries(routes).flatMap(([name, procedure]) => {
      const { method, path = "" } = procedure["~orpc"].route;
      return method === "GET" ? [[`${module}.${name}`, path] as const] : [];
    }),
  );
  it.each(queries)("and other strange values in the query of %s are refused", async (_id, path) => {
    const filled = path
      .replace("{tenantId}", tenantId)
      .replace(
        /\{(key|user|file|notification)Id\}/,
        (_: string, kind: string) =>
          `${{ key: "key", user: "usr", file: "file", notification: "ntf" }[kind]}_${"0".repeat(32)}`,
      )
      .replace("{collection}", "settings")
      .replace("{documentId}", "main");
    const strange = [
      "cursor=%00",
      "cursor=%ED%A0%80",
      "cursor='",
      `cursor=${"x".repeat(500)}`,
      "limit=0",
      "limit=1e9",
      "limit=-1",
      "limit=1.5",
      "limit=NaN",
      "limit=",
      "meter=%00",
      "from=0000-01-01T00:00:00.000Z",
      "from=9999-12-31T23:59:59Z",
      "to=0000-01-01T00:00:00.000Z",
      "from=2020-02-30T00:00:00Z",
      "by=__proto__",
      "__proto__[polluted]=1",
      "constructor[prototype][polluted]=1",
      "a[0][__proto__][polluted]=1",
      "userId=%00",
      "unread=%00",
      "%00=1",
      "%",
      "=",
    ];
    for (const query of strange) {
      const reply = await app.call(operator, "GET", `/v1${filled}?${query}`);
      expect(reply.status, `${query}: ${reply.text}`).toBeLessThan(500);
    }
  });
});

describe("dates", () => {
  it.each([
    "0000-01-01T00:00:00.000Z",
    "2020-02-30T00:00:00Z",
    "2099-01-01",
    "2099-01-01T00:00:00+25:00",
    "tomorrow",
    "+275760-09-13T00:00:00.001Z",
  ])("that are none or far off are refused as an expiry: %s", async (expiresAt) => {
    const reply = await app.call(operator, "POST", `/v1/tenants/${tenantId}/keys`, {
      name: "K",
      expiresAt,
    });
    expect(reply, reply.text).toMatchObject({ status: 400, json: { code: "INVALID_REQUEST" } });
  });

  it("at the end of the calendar are taken", async () => {
    const expiresAt = "9999-12-31T23:59:59.999Z";
    const reply = await app.call(operator, "POST", `/v1/tenants/${tenantId}/keys`, {
      name: "K",
      expiresAt,
    });
    expect(reply).toMatchObject({ status: 201, json: { expiresAt } });
  });
});

describe("paths", () => {
  it.each([
    "//evil.example.com/v1/plans",
    "/v1/plans/..;/tenants",
    "/v1/tenants/../plans",
    "/v1/tenants/%2e%2e/plans",
    "/v1/tenants/%00",
    "/v1/tenants/ten_%00",
    `/v1/tenants/${"a".repeat(5_000)}`,
    "/v1/__proto__",
    "/v1/constructor/prototype",
    "/v1/tenants/__proto__",
    "/v1/%5c..%5c",
    "/health/live/%2e%2e",
    "/../../etc/passwd",
    "/assets/../../../package.json",
    "/%2e%2e/%2e%2e/package.json",
    "/docs/../package.json",
    "/docs/%2e%2e%2fpackage.json",
  ])("lead nowhere: %s", async (path) => {
    const { request } = await import("node:http");
    const { hostname, port } = new URL(app.url);
    const { status, text } = await new Promise<{ status: number; text: string }>(
      (resolve, reject) => {
        const req = request(
          { hostname, port, path, headers: { authorization: `Bearer ${operator}` } },
          (res) => {
            let body = "";
            res.on("data", (chunk: Buffer) => {
              body += chunk.toString();
            });
            res.on("end", () => resolve({ status: res.statusCode ?? 0, text: body }));
          },
        );
        req.on("error", reject);
        req.end();
      },
    );
    expect(status).toBeLessThan(500);
    expect(text).not.toContain("root:");
    expect(text).not.toContain('"workspaces"');
    expect(text).not.toContain('"planId"');
  });
});
