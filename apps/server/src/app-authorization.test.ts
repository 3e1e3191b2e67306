import { createHash } from "node:crypto";
import { contract } from "@turnpike/contract/contract";
import type { OperationMeta } from "@turnpike/contract/operation";
import {
  ROLE_SCOPES,
  ROLES,
  type Role,
  SCOPES,
  type Scope,
  TENANT_KEY_SCOPES,
} from "@turnpike/domain/access/scopes";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type ApiReply, startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

type Ids = Record<
  | "tenantId"
  | "keyId"
  | "userId"
  | "fileId"
  | "documentId"
  | "notificationId"
  | "invitationId"
  | "serviceKeyId"
  | "lockId"
  | "meterId"
  | "webhookId"
  | "alertId"
  | "exportId"
  | "messageId"
  | "collection",
  string
>;
type Operation = {
  id: string;
  method: string;
  path: string;
  scope: OperationMeta["scope"];
  isOpenToPeople: boolean;
};

const operations: Operation[] = Object.entries(contract).flatMap(([module, routes]) =>
  Object.entries(routes).map(([name, procedure]) => {
    const { route, meta } = procedure["~orpc"];
    return {
      id: `${module}.${name}`,
      method: route.method ?? "",
      path: route.path ?? "",
      scope: (meta as OperationMeta).scope,
      isOpenToPeople: (meta as OperationMeta).openToPeople === true,
    };
  }),
);
const guarded = operations.filter((operation) => operation.scope !== "public");
const forPeople = guarded.filter((operation) => operation.scope === "person");
const scoped = guarded.filter((operation) => operation.scope !== "person");
const inTenant = guarded.filter((operation) => operation.path.includes("{tenantId}"));

/** A good body of every operation that takes one. A new operation that changes something gets its own here. */
const BODIES: Record<string, (ids: Ids) => object> = {
  "tenants.create": () => ({ name: "Created" }),
  "tenants.update": () => ({ name: "Updated" }),
  // Nobody means it: the name is another one.
  "tenants.delete": () => ({ name: "Not its name" }),
  "tenants.restore": () => ({}),
  "tenants.putMember": () => ({ role: "viewer" }),
  "tenants.ensureUser": () => ({ issuer: "https://id.example.com", subject: "matrix" }),
  "invitations.create": () => {
    invited += 1;
    return { email: `guest-${String(invited)}@example.com`, role: "viewer" };
  },
  "invitations.preview": () => ({ token: "unknown" }),
  "invitations.accept": () => ({ token: "unknown" }),
  "setup.claim": () => ({ code: "unknown" }),
  "catalog.apply": () => structuredClone(SAMPLE_CATALOG),
  "catalog.createMeter": () => {
    metersMade += 1;
    return { ...METER, meterId: `made-${String(metersMade)}` };
  },
  "catalog.updateMeter": () => ({ unit: "unit" }),
  "events.previewMeter": () => ({ meter: METER }),
  "keys.create": () => ({ name: "Created" }),
  "keys.import": () => ({ rows: [{ hash: "0123456789abcdef".repeat(4), name: "Imported" }] }),
  "keys.update": () => ({ name: "Renamed" }),
  "keys.change": ({ keyId }) => ({ keyIds: [keyId], change: { action: "disable" } }),
  "keys.roll": () => ({ graceSeconds: 0 }),
  "keys.revoke": () => ({}),
  "keys.verify": () => ({ key: "unknown" }),
  "locks.settle": () => ({ cost: 1 }),
  "locks.release": () => ({}),
  "serviceKeys.create": () => ({ name: "Created", scopes: ["service_keys:write"] }),
  "serviceKeys.revoke": () => ({}),
  "documents.put": () => ({ body: { theme: "dark" } }),
  "notifications.create": () => ({ kind: "test.done", title: "Done", body: "It is done." }),
  "notifications.markRead": () => ({}),
  "notifications.markAllRead": () => ({ upTo: `ntf_${"0".repeat(32)}` }),
  "exports.create": () => EXPORT,
  "exports.cancel": () => ({}),
  "exports.download": () => ({}),
  "alerts.create": () => ALERT,
  "alerts.update": () => ({ name: "Updated" }),
  "alerts.pause": () => ({}),
  "alerts.resume": () => ({}),
  "alerts.test": () => ({}),
  "alerts.preview": () => ({
    query: ALERT.query,
    windowMinutes: ALERT.windowMinutes,
    condition: ALERT.condition,
  }),
  "alerts.setQuotaAlerts": () => ({ thresholds: [80], mailRoles: ["owner"] }),
  ...Object.fromEntries(
    ["webhooks", "operatorWebhooks"].flatMap((module) => [
      // An address of the internet: nothing is sent to it, since no job runs here.
      [`${module}.create`, () => ({ url: "https://1.1.1.1/created" })],
      [`${module}.update`, () => ({ description: "Updated" })],
      [`${module}.rotateSecret`, () => ({ graceSeconds: 0 })],
      [`${module}.test`, () => ({})],
      [`${module}.resend`, () => ({})],
      [`${module}.replay`, () => ({ since: "2026-01-15T00:00:00.000Z" })],
    ]),
  ),
};

/** What asks about usage on behalf of its caller, who must be allowed to read it. */
const ASKING_USAGE = ["alerts.create", "alerts.update", "alerts.test", "alerts.preview"];

/** A good query of every operation that needs one. */
const QUERIES: Record<string, (ids: Ids) => string> = {
  "usage.keys": (ids) => `?keys=${ids.keyId}`,
};

/** Of events, which have usage of their own. */
const METER = {
  meterId: "events",
  name: "Events",
  unit: "event",
  aggregation: "count",
  eventType: "test.done",
};

const EXPORT = { name: "Created", format: "csv", question: { measures: "requests" } };

const ALERT = {
  name: "Created",
  query: { measure: "requests" },
  windowMinutes: 5,
  condition: { kind: "above", threshold: 100 },
};

let invited = 0;
let metersMade = 0;

let database: TestDatabase;
let app: TestApp;
let ours: Ids;
let theirs: Ids;
let missing: Ids;
let ourKey: string;
let everything: string;
/** ID tokens of people with each role in our tenant, of somebody without any, and of an operator. */
let members: Record<Role, string>;
let nobody: string;
let operator: string;

async function createResources(name: string): Promise<Ids> {
  const tenantId = await app.mintTenant(name);
  const path = `/v1/tenants/${tenantId}`;
  const make = async (method: string, target: string, body: object): Promise<ApiReply["json"]> => {
    const reply = await app.call(everything, method, target, body);
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.json;
  };
  const key = await make("POST", `${path}/keys`, { name: "Key" });
  const user = await make("POST", "/v1/users", {
    issuer: "https://id.example.com",
    subject: name,
  });
  await make("PUT", `${path}/members/${user.userId}`, { role: "viewer" });
  const document = await make("PUT", `${path}/documents/settings/main`, { body: { a: 1 } });
  const notification = await make("POST", `${path}/notifications`, {
    kind: "test.done",
    title: "Done",
    body: "It is done.",
  });
  const invitation = await make("POST", `${path}/invitations`, {
    email: `${name}@example.com`,
    role: "viewer",
  });
  const upload = await fetch(`${app.url}${path}/files?name=note.txt`, {
    method: "PUT",
    headers: { authorization: `Bearer ${everything}`, "content-type": "text/plain" },
    body: "a note",
  });
  const file = (await upload.json()) as { fileId: string };
  const serviceKey = await make("POST", "/v1/service-keys", { name: "S", scopes: ["keys:read"] });
  const webhook = await make("POST", `${path}/webhooks`, { url: "https://1.1.1.1/hook" });
  const ping = await make("POST", `${path}/webhooks/${webhook.webhookId}/test`, {});
  const alert = await make("POST", `${path}/alerts`, ALERT);
  const usageExport = await make("POST", `${path}/exports`, EXPORT);
  return {
    tenantId,
    exportId: usageExport.exportId,
    alertId: alert.alertId,
    webhookId: webhook.webhookId,
    messageId: ping.messageId,
    keyId: key.keyId,
    userId: user.userId,
    fileId: file.fileId ?? expect.fail(JSON.stringify(file)),
    documentId: document.documentId,
    notificationId: notification.notificationId,
    invitationId: invitation.invitationId,
    serviceKeyId: serviceKey.serviceKeyId,
    // Of no tenant in the path: the operator's programs alone may name one.
    lockId: `lck_${"1".repeat(32)}`,
    meterId: METER.meterId,
    collection: "settings",
  };
}

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  everything = await app.mintServiceKey(SCOPES);
  expect((await app.call(everything, "POST", "/v1/meters", METER)).status).toBe(200);
  ours = await createResources("ours");
  theirs = await createResources("theirs");
  ourKey = await app.mintKey(ours.tenantId as never, TENANT_KEY_SCOPES);
  const mint = async (role: Role) =>
    [role, (await app.mintMember(ours.tenantId as TenantId, role)).token] as const;
  members = Object.fromEntries(await Promise.all(ROLES.map(mint))) as Record<Role, string>;
  nobody = await app.mintIdToken();
  operator = await app.mintOperatorToken();
  const id = (prefix: string) => `${prefix}_${createHash("md5").update(prefix).digest("hex")}`;
  missing = {
    tenantId: id("ten"),
    keyId: id("key"),
    userId: id("usr"),
    fileId: id("file"),
    documentId: "no-such-document",
    notificationId: id("ntf"),
    invitationId: id("ivt"),
    serviceKeyId: id("svc"),
    lockId: id("lck"),
    meterId: "no-such-meter",
    webhookId: id("whk"),
    alertId: id("alt"),
    exportId: id("exp"),
    messageId: id("msg"),
    collection: "no-such-collection",
  };
});
afterAll(async () => {
  await app.close();
  await database.close();
});

function fill(path: string, ids: Ids): string {
  return `/v1${path.replace(/\{(\w+)\}/g, (_, name: keyof Ids) => ids[name])}`;
}

function send(operation: Operation, credential: string | undefined, ids: Ids): Promise<ApiReply> {
  const { id, method, path } = operation;
  const hasBody = method === "POST" || method === "PUT" || method === "PATCH";
  if (hasBody && BODIES[id] === undefined) {
    throw new Error(`Give ${id} a body in BODIES.`);
  }
  const target = fill(path, ids) + (QUERIES[id]?.(ids) ?? "");
  return app.call(credential, method, target, hasBody ? BODIES[id]?.(ids) : undefined);
}

/** All that a caller sees of an answer, but for what differs every time. */
function visible(reply: ApiReply): object {
  const headers = Object.fromEntries(
    [...reply.headers].filter(([name]) => name !== "date" && name !== "x-request-id"),
  );
  return { status: reply.status, headers, body: reply.text.replaceAll(/req_[0-9a-f]{32}/g, "req") };
}

describe.each(guarded)("$id ($scope)", (operation) => {
  it("answers 401 without a credential, whatever the body", async () => {
    const reply = await send(operation, undefined, ours);
    expect(reply).toMatchObject({ status: 401, json: { code: "UNAUTHENTICATED" } });
    expect(reply.headers.get("www-authenticate")).toBe("Bearer");
    const { method, path } = operation;
    const body = method === "GET" || method === "DELETE" ? undefined : { nonsense: true };
    const bad = await app.call(undefined, method, fill(path, ours), body);
    expect(bad.status).toBe(401);
  });

  it("answers 401 to a credential that nobody holds", async () => {
    const unknown = (await app.mintServiceKey(["keys:read"])).replace(/.$/, (last) =>
      last === "A" ? "B" : "A",
    );
    for (const credential of [unknown, "garbage", "tp_svc_"]) {
      expect((await send(operation, credential, ours)).status).toBe(401);
    }
  });
});

describe.each(operations)("$id", (operation) => {
  it("answers nothing that a cache may keep", async () => {
    // An operator, so that what can succeed does; things that do not exist, so that nothing is taken away.
    const isRead = operation.method === "GET" && !operation.path.includes("Id}/");
    for (const ids of isRead ? [ours, missing] : [{ ...missing, tenantId: ours.tenantId }]) {
      const reply = await send(operation, operator, ids);
      expect([reply.status, reply.headers.get("cache-control")]).toEqual([
        reply.status,
        "no-store",
      ]);
    }
  });
});

describe("a tenant that is named in the body or the query too", () => {
  const refusal = { status: 400, json: { errors: [{ pointer: "/tenantId" }] } };

  it("is the one of the address, or nothing is done", async () => {
    const path = `/v1/tenants/${ours.tenantId}`;
    const other = { name: "Other", tenantId: theirs.tenantId };
    expect(await app.call(everything, "PATCH", path, other)).toMatchObject(refusal);
    expect(await app.call(everything, "POST", `${path}/keys`, other)).toMatchObject(refusal);
    const query = `${path}/keys?tenantId=${theirs.tenantId}`;
    expect(await app.call(everything, "GET", query)).toMatchObject(refusal);
    const own = { name: "ours", tenantId: ours.tenantId };
    expect((await app.call(everything, "PATCH", path, own)).status).toBe(200);
  });
});

describe.each(scoped)("$id ($scope) for programs", (operation) => {
  it("answers 403 to a service key with every other scope, and names the one that is missing", async () => {
    const others = SCOPES.filter((scope) => scope !== operation.scope);
    const reply = await send(operation, await app.mintServiceKey(others), ours);
    expect(reply).toMatchObject({
      status: 403,
      json: { code: "INSUFFICIENT_SCOPE", requiredScope: operation.scope },
    });
  });

  it("lets a service key with this one scope in, or with those that it takes together", async () => {
    const credential = await app.mintServiceKey([
      operation.scope as Scope,
      ...(ASKING_USAGE.includes(operation.id) ? (["usage:read"] as const) : []),
    ]);
    const reply = await send(operation, credential, missing);
    expect([401, 403]).not.toContain(reply.status);
    expect(reply.status).toBeLessThan(500);
  });
});

describe.each(forPeople)("$id", (operation) => {
  it("is for people alone: no program passes, however much it may", async () => {
    for (const credential of [everything, ourKey]) {
      const reply = await send(operation, credential, ours);
      expect(reply).toMatchObject({ status: 403, json: { code: "INSUFFICIENT_SCOPE" } });
    }
    for (const person of [nobody, operator, ...Object.values(members)]) {
      const reply = await send(operation, person, ours);
      expect(["INSUFFICIENT_SCOPE", "UNAUTHENTICATED"]).not.toContain(reply.json.code);
      expect(reply.status).toBeLessThan(500);
    }
  });
});

const ENTITY = /\{(keyId|userId|fileId|notificationId|invitationId)\}/;

/** What the operator alone does inside a tenant, although roles hold a scope of that name. */
const OPERATORS_OWN = ["notifications.create", "tenants.restore"];

describe.each(inTenant)("$id ($scope) for people", (operation) => {
  it.each(ROLES)(
    "lets a member who is %s do what the role may, in their own tenant",
    async (role) => {
      // Things that do not exist, so that nothing is taken away from the roles after this one.
      const reply = await send(operation, members[role], { ...missing, tenantId: ours.tenantId });
      const isHeld =
        ROLE_SCOPES[role].some((scope) => scope === operation.scope) &&
        !OPERATORS_OWN.includes(operation.id);
      if (isHeld) {
        expect([401, 403], reply.text).not.toContain(reply.status);
        expect(reply.status).toBeLessThan(500);
      } else {
        expect(reply).toMatchObject({ status: 403, json: { code: "INSUFFICIENT_SCOPE" } });
      }
    },
  );

  it.each([...ROLES, "nobody"] as const)(
    "answers a person who is %s byte for byte alike for another tenant and for none",
    async (role) => {
      const token = role === "nobody" ? nobody : members[role];
      const other = visible(await send(operation, token, theirs));
      expect(other).toEqual(visible(await send(operation, token, missing)));
      const status = OPERATORS_OWN.includes(operation.id) ? 403 : 404;
      expect(other).toMatchObject({ status });
    },
  );
});

describe.each(inTenant.filter((operation) => ENTITY.test(operation.path)))(
  "$id under a person's own tenant",
  (operation) => {
    it.each(ROLES)("finds nothing of another tenant under one's own, as %s", async (role) => {
      const mixed = await send(operation, members[role], { ...theirs, tenantId: ours.tenantId });
      const none = await send(operation, members[role], { ...missing, tenantId: ours.tenantId });
      expect(visible(mixed)).toEqual(visible(none));
      expect([403, 404]).toContain(mixed.status);
    });
  },
);

describe.each(scoped.filter((operation) => !inTenant.includes(operation)))(
  "$id ($scope) for people",
  (operation) => {
    it("is for operators, unless the contract opens it to every person", async () => {
      for (const person of [nobody, ...Object.values(members)]) {
        const reply = await send(operation, person, missing);
        if (operation.isOpenToPeople) {
          expect(reply.status, reply.text).toBeLessThan(300);
        } else {
          expect(reply).toMatchObject({ status: 403, json: { code: "INSUFFICIENT_SCOPE" } });
        }
      }
    });
  },
);

describe.each(scoped)("$id ($scope) for operators", (operation) => {
  it("is open", async () => {
    const reply = await send(operation, operator, missing);
    expect([401, 403], reply.text).not.toContain(reply.status);
    expect(reply.status).toBeLessThan(500);
  });
});

describe.each(inTenant)("$id across tenants", (operation) => {
  it("answers another tenant's ids byte for byte as it answers ids that do not exist", async () => {
    const other = await send(operation, ourKey, theirs);
    const none = await send(operation, ourKey, missing);
    expect(visible(other)).toEqual(visible(none));
    if (other.status !== 404) {
      // What no key of a tenant may do is refused alike in every tenant, one's own included.
      expect(other.status).toBe(403);
      expect(visible(await send(operation, ourKey, ours))).toEqual(visible(other));
    }
  });
});

describe.each(guarded.filter((operation) => ENTITY.test(operation.path)))(
  "$id under one's own tenant",
  (operation) => {
    it("finds nothing of another tenant by its id", async () => {
      const mixed = await send(operation, ourKey, { ...theirs, tenantId: ours.tenantId });
      const none = await send(operation, ourKey, { ...missing, tenantId: ours.tenantId });
      expect(visible(mixed)).toEqual(visible(none));
      expect([403, 404]).toContain(mixed.status);
    });
  },
);

describe("after every call of one tenant on the other", () => {
  it("all that the other has is still there", async () => {
    const path = `/v1/tenants/${theirs.tenantId}`;
    const read = async (rest: string) => (await app.call(everything, "GET", path + rest)).json;
    expect(await read(`/keys/${theirs.keyId}`)).toMatchObject({ state: "active" });
    expect(await read(`/files/${theirs.fileId}`)).toMatchObject({ name: "note.txt" });
    expect(await read("/documents/settings/main")).toMatchObject({ body: { a: 1 } });
    expect((await read("/members")).items).toHaveLength(1);
    expect((await read("/notifications")).items).toMatchObject([{ readAt: null }]);
    expect((await read("/webhooks")).items).toMatchObject([{ state: "enabled", description: "" }]);
    const deliveries = await read(`/webhooks/${theirs.webhookId}/deliveries`);
    expect(deliveries.items).toMatchObject([{ messageId: theirs.messageId, state: "pending" }]);
  });
});

describe("the contract", () => {
  it("states a scope for every operation, and what visitors may see is what is public", () => {
    expect(operations.length).toBeGreaterThan(30);
    const open = operations.filter((operation) => operation.scope === "public");
    expect(open.map((operation) => operation.id)).toEqual([
      "invitations.preview",
      "catalog.listPlans",
      "catalog.listMeters",
    ]);
    for (const operation of scoped) {
      expect(SCOPES).toContain(operation.scope);
    }
  });
});
