import {
  ROLE_SCOPES,
  ROLES,
  type Role,
  SCOPES,
  type Scope,
  TENANT_KEY_SCOPES,
} from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type ApiReply, startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  goodRequest,
  type Ids,
  METER,
  MISSING_IDS,
  OPERATIONS,
  type Operation,
  pathOf,
} from "./good-requests.fixture.ts";
import { makeOneOfEverything, readChecksums } from "./one-of-everything.fixture.ts";

const guarded = OPERATIONS.filter(({ scope }) => scope !== "public");
const forPeople = guarded.filter(({ scope }) => scope === "person");
const scoped = guarded.filter(({ scope }) => scope !== "person");
const inTenant = guarded.filter(({ path }) => path.includes("{tenantId}"));
const outsideOfTenants = scoped.filter((operation) => !inTenant.includes(operation));

/** What asks about usage on behalf of its caller, who must be allowed to read it. */
const ASKING_USAGE = [
  "alerts.create",
  "alerts.update",
  "alerts.test",
  "alerts.preview",
  "insights.refresh",
  "insights.update",
  "insightFeedback.reset",
  "installationInsights.refresh",
  "installationInsights.update",
];
/** What the operator alone does inside a tenant, although roles hold a scope of that name. */
const OPERATORS_OWN = ["notifications.create", "tenants.restore", "acting.start"];
/** What an operator does in a tenant of others only while acting there, with a reason. */
const ACTED: readonly string[] = [
  "keys:write",
  "alerts:write",
  "files:write",
  "webhooks:write",
  "sso:write",
];

let database: TestDatabase;
let app: TestApp;
let ours: Ids;
let theirs: Ids;
/** Of things that do not exist, in our tenant: a call that succeeds takes nothing away. */
let nothingOfOurs: Ids;
let rowsOfTheirs: Map<string, string>;
let ourKey: string;
let everything: string;
/** ID tokens of people with each role in our tenant, of someone without any, and of an operator. */
let members: [Role, string][];
let stranger: string;
let operator: string;

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  everything = await app.mintServiceKey(SCOPES);
  expect((await app.call(everything, "POST", "/v1/meters", METER)).status).toBe(200);
  ours = await makeOneOfEverything(app, everything, "ours");
  theirs = await makeOneOfEverything(app, everything, "theirs");
  rowsOfTheirs = await readChecksums(database, theirs.tenantId);
  nothingOfOurs = { ...MISSING_IDS, tenantId: ours.tenantId };
  ourKey = await app.mintKey(ours.tenantId as TenantId, TENANT_KEY_SCOPES);
  members = await Promise.all(
    ROLES.map(
      async (role): Promise<[Role, string]> => [
        role,
        (await app.mintMember(ours.tenantId as TenantId, role)).token,
      ],
    ),
  );
  stranger = await app.mintIdToken();
  operator = await app.mintOperatorToken();
});
afterAll(async () => {
  await app.close();
  await database.close();
});

function send(operation: Operation, credential: string | undefined, ids: Ids): Promise<ApiReply> {
  const { method, path, body } = goodRequest(operation, ids);
  return app.call(credential, method, path, body);
}

/** All that a caller sees of an answer, but for what differs every time. */
function visible(reply: ApiReply): string {
  const headers = [...reply.headers].filter(([name]) => name !== "date" && name !== "x-request-id");
  const text = reply.text.replaceAll(/req_[0-9a-f]{32}/g, "req");
  return [reply.status, ...headers.map((pair) => pair.join(": ")), text].join("\n");
}

type Wish = { status?: number | number[]; notStatus?: number[]; code?: string };

/** One line when an answer is not as wished, none when it is. */
function findFault(operation: Operation, caller: string, reply: ApiReply, wish: Wish): string[] {
  const { status } = reply;
  const isWished = wish.status === undefined || [wish.status].flat().includes(status);
  const isExcluded = status >= 500 || (wish.notStatus ?? []).includes(status);
  const hasCode = wish.code === undefined || reply.json?.code === wish.code;
  return isWished && !isExcluded && hasCode
    ? []
    : [
        `${operation.id} (${operation.scope}) by ${caller}: ${String(status)} ${reply.text.slice(0, 300)}, not ${JSON.stringify(wish)}`,
      ];
}

/** What a check of each operation finds, one line for each fault. Nothing more: an empty list is what tests expect. */
async function collect(
  operations: readonly Operation[],
  check: (operation: Operation, index: number) => Promise<string[]>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const [index, operation] of operations.entries()) {
    faults.push(...(await check(operation, index)));
  }
  expect(operations.length).toBeGreaterThan(0);
  return faults;
}

const IS_OPEN: Wish = { notStatus: [401, 403] };
const LACKS_SCOPE: Wish = { status: 403, code: "INSUFFICIENT_SCOPE" };

describe("every operation that is not public", () => {
  it("answers 401 without a credential, with any body", async () => {
    const faults = await collect(guarded, async (operation) => {
      const reply = await send(operation, undefined, ours);
      expect(reply.headers.get("www-authenticate"), operation.id).toBe("Bearer");
      const { method, takesBody } = operation;
      const body = takesBody ? { nonsense: true } : undefined;
      const bad = await app.call(undefined, method, pathOf(operation, ours), body);
      const wish = { status: 401, code: "UNAUTHENTICATED" };
      return [
        ...findFault(operation, "no credential", reply, wish),
        ...findFault(operation, "no credential, with a bad body", bad, wish),
      ];
    });
    expect(faults).toEqual([]);
  });

  it("answers 401 to an unknown credential", async () => {
    const known = await app.mintServiceKey(["keys:read"]);
    const unknown = known.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    const credentials = [unknown, "garbage", "tp_svc_"];
    const faults = await collect(guarded, async (operation, index) => {
      // One for each operation: all of them are read in one place.
      const credential = credentials[index % credentials.length];
      const reply = await send(operation, credential, ours);
      return findFault(operation, String(credential), reply, { status: 401 });
    });
    expect(faults).toEqual([]);
  });
});

it("no answer may be kept by a cache", async () => {
  const faults = await collect(OPERATIONS, async (operation) => {
    // An operator, so that what can succeed does; things that do not exist, so that nothing is taken away.
    const isRead = operation.method === "GET" && !operation.path.includes("Id}/");
    const reply = await send(operation, operator, isRead ? ours : nothingOfOurs);
    const control = reply.headers.get("cache-control");
    return control === "no-store" ? [] : [`${operation.id}: ${String(reply.status)} ${control}`];
  });
  expect(faults).toEqual([]);
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

describe("a program", () => {
  it("with every scope but the one that is needed is refused, and reads which is missing", async () => {
    const withoutScope = new Map<string, string>();
    for (const scope of SCOPES) {
      const others = SCOPES.filter((candidate) => candidate !== scope);
      withoutScope.set(scope, await app.mintServiceKey(others));
    }
    const faults = await collect(scoped, async (operation) => {
      const reply = await send(operation, withoutScope.get(operation.scope), ours);
      const isNamed = reply.json?.requiredScope === operation.scope;
      return [
        ...findFault(operation, "all other scopes", reply, LACKS_SCOPE),
        ...(isNamed ? [] : [`${operation.id} does not name ${operation.scope}: ${reply.text}`]),
      ];
    });
    expect(faults).toEqual([]);
  });

  it("with the one scope that is needed is let in, or with those that are needed together", async () => {
    const faults = await collect(scoped, async (operation) => {
      const scopes: Scope[] = [
        operation.scope as Scope,
        ...(ASKING_USAGE.includes(operation.id) ? (["usage:read"] as const) : []),
      ];
      const reply = await send(operation, await app.mintServiceKey(scopes), MISSING_IDS);
      return findFault(operation, scopes.join(), reply, IS_OPEN);
    });
    expect(faults).toEqual([]);
  });

  it("does nothing that is for people alone, however much it may", async () => {
    const faults = await collect(forPeople, async (operation) => {
      const byService = await send(operation, everything, ours);
      const byKey = await send(operation, ourKey, ours);
      return [
        ...findFault(operation, "a service key with every scope", byService, LACKS_SCOPE),
        ...findFault(operation, "a tenant's key", byKey, LACKS_SCOPE),
      ];
    });
    expect(faults).toEqual([]);
  });
});

describe("a person", () => {
  it("may do what is for people alone, in any role or none", async () => {
    const people = [["stranger", stranger], ["operator", operator], ...members] as const;
    const faults = await collect(forPeople, async (operation) => {
      const found: string[] = [];
      for (const [who, token] of people) {
        const reply = await send(operation, token, ours);
        const isRefused =
          ["INSUFFICIENT_SCOPE", "UNAUTHENTICATED"].includes(reply.json?.code) &&
          (who === "operator" || !OPERATORS_OWN.includes(operation.id));
        found.push(
          ...findFault(operation, who, reply, isRefused ? { notStatus: [reply.status] } : {}),
        );
      }
      return found;
    });
    expect(faults).toEqual([]);
  });

  it("does in their own tenant what their role may, and nothing else", async () => {
    const faults = await collect(inTenant, async (operation) => {
      const found: string[] = [];
      for (const [role, token] of members) {
        const isHeld =
          ROLE_SCOPES[role].some((scope) => scope === operation.scope) &&
          !OPERATORS_OWN.includes(operation.id);
        const reply = await send(operation, token, nothingOfOurs);
        found.push(...findFault(operation, role, reply, isHeld ? IS_OPEN : LACKS_SCOPE));
      }
      return found;
    });
    expect(faults).toEqual([]);
  });

  it("is answered byte for byte alike for another tenant and for none", async () => {
    const faults = await collect(inTenant, async (operation) => {
      const status = OPERATORS_OWN.includes(operation.id) ? 403 : 404;
      const found: string[] = [];
      for (const [who, token] of [["stranger", stranger] as const, ...members]) {
        const other = await send(operation, token, theirs);
        const none = await send(operation, token, MISSING_IDS);
        found.push(
          ...findFault(operation, `${who}, in another tenant`, other, { status }),
          ...findDifference(operation, who, other, none),
        );
      }
      return found;
    });
    expect(faults).toEqual([]);
  });

  it("is refused outside of tenants, but where the contract opens an operation to every person", async () => {
    const faults = await collect(outsideOfTenants, async (operation) => {
      const found: string[] = [];
      for (const [who, token] of [["stranger", stranger] as const, ...members]) {
        const reply = await send(operation, token, MISSING_IDS);
        const wish = operation.isOpenToPeople ? { status: [200, 201, 204] } : LACKS_SCOPE;
        found.push(...findFault(operation, who, reply, wish));
      }
      return found;
    });
    expect(faults).toEqual([]);
  });

  it("an operator may do everything, but for what is the members' of a tenant", async () => {
    const faults = await collect(scoped, async (operation) => {
      const isMembers = ACTED.includes(operation.scope) && inTenant.includes(operation);
      const reply = await send(operation, operator, MISSING_IDS);
      return findFault(operation, "operator", reply, isMembers ? LACKS_SCOPE : IS_OPEN);
    });
    expect(faults).toEqual([]);
  });
});

describe("a tenant's key", () => {
  it("is answered byte for byte alike for another tenant's ids and for ids that do not exist", async () => {
    const faults = await collect(inTenant, async (operation) => {
      const other = await send(operation, ourKey, theirs);
      const none = await send(operation, ourKey, MISSING_IDS);
      const found = [
        ...findFault(operation, "a key", other, { status: [403, 404] }),
        ...findDifference(operation, "a key", other, none),
      ];
      // What no key of a tenant may do is refused alike in every tenant, one's own included.
      return other.status === 403
        ? [
            ...found,
            ...findDifference(operation, "a key", other, await send(operation, ourKey, ours)),
          ]
        : found;
    });
    expect(faults).toEqual([]);
  });
});

/** What a caller could learn from two answers that must be alike. */
function findDifference(
  operation: Operation,
  caller: string,
  one: ApiReply,
  other: ApiReply,
): string[] {
  return visible(one) === visible(other)
    ? []
    : [`${operation.id} by ${caller} differs:\n${visible(one)}\n--- and\n${visible(other)}`];
}

describe("after every call of one tenant on the other", () => {
  it("no row of the other has changed", async () => {
    expect(await readChecksums(database, theirs.tenantId)).toEqual(rowsOfTheirs);
  });
});

describe("the contract", () => {
  it("states a scope for every operation, and what visitors may see is what is public", () => {
    expect(OPERATIONS.length).toBeGreaterThan(30);
    const open = OPERATIONS.filter((operation) => operation.scope === "public");
    expect(open.map((operation) => operation.id)).toEqual([
      "setup.check",
      "invitations.preview",
      "catalog.listPlans",
      "catalog.listMeters",
    ]);
    for (const operation of scoped) {
      expect(SCOPES).toContain(operation.scope);
    }
  });
});
