import { request } from "node:http";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { type ApiReply, startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  goodRequest,
  type Ids,
  MISSING_IDS,
  OPERATIONS,
  paramsOf,
  pathOf,
} from "./good-requests.fixture.ts";

let database: TestDatabase;
let app: TestApp;
let operator: string;
let person: string;
let ids: Ids;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  operator = await app.mintServiceKey(SCOPES);
  person = await app.mintIdToken();
  ids = { ...MISSING_IDS, tenantId: await app.mintTenant("Acme"), collection: "settings" };
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
  needsBody: boolean;
  send(body: string): Promise<ApiReply>;
  good(): Record<string, unknown>;
};

const WRITES: Write[] = [
  ...OPERATIONS.filter(({ takesBody }) => takesBody).map((operation): Write => {
    const { id, method, scope } = operation;
    return {
      id,
      needsBody: !operation.input.safeParse(paramsOf(operation, MISSING_IDS)).success,
      send: (body) =>
        app.call(scope === "person" ? person : operator, method, pathOf(operation, ids), body),
      good: () => ({ ...goodRequest(operation, ids).body }),
    };
  }),
  {
    id: "auth.verify",
    needsBody: true,
    send: (body) => app.call(undefined, "POST", "/auth/verify", body),
    good: () => ({ token: "a.b.c" }),
  },
];

/** JSON text, because an object literal cannot have an own `__proto__`. */
function withMember(body: object, member: string): string {
  const text = JSON.stringify(body);
  return text === "{}" ? `{${member}}` : `${text.slice(0, -1)},${member}}`;
}

// What the schemas take is held by hostile-input.test.ts; this shows that each operation asks its schema.
describe("a request that changes something", () => {
  it.each(WRITES)(
    "is refused where its body is not what it must be: $id",
    async ({ send, good, needsBody }) => {
      for (const member of ['"__proto__":{"polluted":true}', '"createdBy":"operator:root"']) {
        const reply = await send(withMember(good(), member));
        expect(reply, reply.text).toMatchObject({ status: 400, json: { code: "INVALID_REQUEST" } });
      }
      for (const text of ["[{}]", '"text"', "{} {}", "[".repeat(10_000)]) {
        const reply = await send(text);
        // The hot route takes so little that the deep one is too large for it.
        expect([400, 413], `${text.slice(0, 20)}: ${reply.text}`).toContain(reply.status);
      }
      for (const text of ["", " ", "null"]) {
        const reply = await send(text);
        expect(reply.status, `${JSON.stringify(text)}: ${reply.text}`).toBeLessThan(500);
        expect(needsBody ? 400 : reply.status).toBe(reply.status);
      }
      const field = Object.entries(good()).find(([, value]) => typeof value === "string")?.[0];
      for (const text of field === undefined ? [] : ["\u0000", "\ud800", "' or 1=1 --", "\u202e"]) {
        const reply = await send(JSON.stringify({ ...good(), [field ?? ""]: text }));
        expect(reply.status, `${field}=${JSON.stringify(text)}: ${reply.text}`).toBeLessThan(500);
      }
    },
  );

  it("takes from its body no tenant, person or key that its path does not name", async () => {
    for (const { id, path, method } of OPERATIONS.filter(({ takesBody }) => takesBody)) {
      const named = ["tenantId", "userId", "keyId"].filter((name) => path.includes(`{${name}}`));
      for (const name of named as (keyof Ids)[]) {
        const other = MISSING_IDS[name].replaceAll("e".repeat(32), "0".repeat(32));
        const operation = OPERATIONS.find((candidate) => candidate.id === id) ?? expect.fail(id);
        const { body } = goodRequest(operation, ids);
        const asked = withMember(body ?? {}, `"${name}":"${other}"`);
        const sender = operation.scope === "person" ? person : operator;
        const reply = await app.call(sender, method, pathOf(operation, ids), asked);
        expect(reply, `${id}: ${reply.text}`).toMatchObject({
          status: 400,
          json: { code: "INVALID_REQUEST" },
        });
      }
    }
  });
});

const STRANGE_QUERIES = [
  "cursor=%00",
  "cursor=%ED%A0%80",
  "cursor='",
  `cursor=${"x".repeat(500)}`,
  "limit=1e9",
  "meter=%00",
  "from=0000-01-01T00:00:00.000Z&to=9999-12-31T23:59:59Z",
  "from=2020-02-30T00:00:00Z",
  "by=__proto__",
  "__proto__[polluted]=1&constructor[prototype][polluted]=1&a[0][__proto__][polluted]=1",
  "userId=%00",
  "%00=1",
  "%",
  "=",
];

describe("a request that reads", () => {
  it.each(OPERATIONS.filter(({ method }) => method === "GET"))(
    "never fails over its query: $id",
    async (operation) => {
      for (const query of STRANGE_QUERIES) {
        const reply = await app.call(operator, "GET", `${pathOf(operation, ids)}?${query}`);
        expect(reply.status, `${query}: ${reply.text}`).toBeLessThan(500);
      }
    },
  );
});

describe("an expiry", () => {
  const createKey = (expiresAt: string) =>
    app.call(operator, "POST", `/v1/tenants/${ids.tenantId}/keys`, { name: "K", expiresAt });

  it("that is no date, or far off, is refused", async () => {
    const refused = [
      "0000-01-01T00:00:00.000Z",
      "2020-02-30T00:00:00Z",
      "2099-01-01",
      "2099-01-01T00:00:00+25:00",
      "tomorrow",
      "+275760-09-13T00:00:00.001Z",
    ];
    for (const expiresAt of refused) {
      const reply = await createKey(expiresAt);
      expect(reply, reply.text).toMatchObject({ status: 400, json: { code: "INVALID_REQUEST" } });
    }
  });

  it("at the end of the calendar is taken", async () => {
    const expiresAt = "9999-12-31T23:59:59.999Z";
    expect(await createKey(expiresAt)).toMatchObject({ status: 201, json: { expiresAt } });
  });
});

describe("a path", () => {
  /** `fetch` would tidy the path up before it is sent. */
  function get(path: string): Promise<{ status: number; text: string }> {
    const { hostname, port } = new URL(app.url);
    const headers = { authorization: `Bearer ${operator}` };
    return new Promise((resolve, reject) => {
      const req = request({ hostname, port, path, headers }, (res) => {
        let text = "";
        res.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        res.on("end", () => resolve({ status: res.statusCode ?? 0, text }));
      });
      req.on("error", reject);
      req.end();
    });
  }

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
  ])("leads nowhere: %s", async (path) => {
    const { status, text } = await get(path);
    expect(status).toBeLessThan(500);
    expect(text).not.toContain("root:");
    expect(text).not.toContain('"workspaces"');
    expect(text).not.toContain('"planId"');
  });
});
