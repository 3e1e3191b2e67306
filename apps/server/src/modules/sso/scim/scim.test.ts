import { SCIM_REQUESTS_MAX, scim as scimReply, scimTokenWithSecret } from "@turnpike/contract/scim";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { eventually } from "@turnpike/testkit/eventually";
import { type ApiReply, startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertScimRequest } from "./scim-requests.store.ts";

let database: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

type Reply = Omit<ApiReply, "text">;

type Directory = {
  tenantId: TenantId;
  domain: string;
  owner: { token: string; userId: UserId };
  secret: string;
  call(method: string, path: string, body?: unknown): Promise<Reply>;
};

async function callAs(secret: string | undefined, method: string, path: string, body?: unknown) {
  const response = await fetch(`${app.url}/scim/v2${path}`, {
    method,
    headers: {
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      ...(body === undefined ? {} : { "content-type": "application/scim+json; charset=utf-8" }),
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, json: text === "" ? undefined : JSON.parse(text) };
}

let made = 0;

/** A tenant with an owner, a proven domain and a token for its directory. */
async function openDirectory(): Promise<Directory> {
  made += 1;
  const domain = `customer${String(made)}.example`;
  const tenantId = await app.mintTenant(`Customer ${String(made)}`);
  const owner = await app.mintMember(tenantId, "owner");
  await database.sql`
    insert into sso_domains (tenant_id, domain, token, verified_at, created_at)
    values (${tenantId}, ${domain}, 'token', now(), now())`;
  const reply = await app.call(owner.token, "POST", `/v1/tenants/${tenantId}/scim/tokens`);
  const { secret } = scimTokenWithSecret.parse(reply.json);
  return {
    ...{ tenantId, domain, owner, secret },
    call: (method, path, body) => callAs(secret, method, path, body),
  };
}

/** Signs in at the product, as the console does, with a proven address. */
async function signIn(email: string): Promise<{ token: string; tenants: Record<string, string> }> {
  const token = await app.mintIdToken({ subject: `acc_${email}`, email, emailVerified: true });
  const reply = await app.call(undefined, "POST", "/auth/verify", { token });
  expect(reply.status, reply.text).toBe(200);
  const tenants = reply.json.tenants.map((tenant: { tenantId: string; role: string }) => [
    tenant.tenantId,
    tenant.role,
  ]);
  return { token, tenants: Object.fromEntries(tenants) };
}

/** What Okta sends for a person who is assigned to the application. */
function oktaUser(email: string, changes: object = {}) {
  return {
    schemas: [USER],
    userName: email,
    name: { givenName: "Ada", familyName: "Okta" },
    emails: [{ primary: true, value: email, type: "work" }],
    displayName: "Ada Okta",
    locale: "en-US",
    externalId: "00ujl29u0le5T6Aj10h7",
    groups: [],
    password: "1mz050nq",
    active: true,
    ...changes,
  };
}

/** What Microsoft Entra ID sends: the principal name as userName, the address apart, and an extension. */
function entraUser(principal: string, email: string) {
  return {
    schemas: [USER, ENTERPRISE],
    externalId: "58342554-38d6-4ec8-948c-50044d0a33fd",
    userName: principal,
    active: true,
    displayName: "Grace Entra",
    emails: [{ primary: true, type: "work", value: email }],
    meta: { resourceType: "User" },
    name: { formatted: "Grace Entra", familyName: "Entra", givenName: "Grace" },
    title: "Engineer",
    [ENTERPRISE]: { department: "Research" },
  };
}

const patch = (...Operations: object[]) => ({ schemas: [PATCH], Operations });

async function create(directory: Directory, name: string, changes: object = {}): Promise<string> {
  const body = oktaUser(`${name}@${directory.domain}`, changes);
  const reply = await directory.call("POST", "/Users", body);
  expect(reply.status, JSON.stringify(reply.json)).toBe(201);
  return reply.json.id;
}

async function createGroup(directory: Directory, displayName: string, members: string[] = []) {
  const reply = await directory.call("POST", "/Groups", {
    schemas: [GROUP],
    displayName,
    externalId: `ext-${displayName}`,
    members: members.map((value) => ({ value })),
  });
  expect(reply.status, JSON.stringify(reply.json)).toBe(201);
  return reply.json.id as string;
}

async function roleOf({ tenantId }: Directory, email: string): Promise<string | undefined> {
  const [row] = await database.sql<{ role: string }[]>`
    select m.role from members m join users u using (user_id)
    where m.tenant_id = ${tenantId} and u.email = ${email}`;
  return row?.role;
}

describe("Okta", () => {
  it("assigns a person, who is a member from their first sign-in until they are unassigned", async () => {
    const directory = await openDirectory();
    const email = `ada@${directory.domain}`;
    const none = await directory.call(
      "GET",
      `/Users?filter=${encodeURIComponent(`userName eq "${email}"`)}&startIndex=1&count=100`,
    );
    expect(none.json).toMatchObject({ totalResults: 0, startIndex: 1, Resources: [] });
    const made = await directory.call("POST", "/Users", oktaUser(email));
    expect(made.status).toBe(201);
    expect(made.headers.get("content-type")).toBe("application/scim+json");
    expect(made.headers.get("location")).toBe(made.json.meta.location);
    expect(made.json).toMatchObject({
      userName: email,
      externalId: "00ujl29u0le5T6Aj10h7",
      active: true,
      emails: [{ value: email, type: "work", primary: true }],
      meta: { resourceType: "User" },
    });
    expect(made.json).not.toHaveProperty("password");

    const { token, tenants } = await signIn(email);
    expect(tenants).toEqual({ [directory.tenantId]: "viewer" });
    const own = (path: string) =>
      app.call(token, "GET", `/v1/tenants/${directory.tenantId}${path}`);
    await eventually(async () => expect((await own("")).status).toBe(200));

    const ended = await directory.call("PUT", `/Users/${made.json.id}`, {
      ...oktaUser(email, { active: false }),
      id: made.json.id,
    });
    expect(ended.json).toMatchObject({ active: false, id: made.json.id });
    await eventually(async () => expect((await own("")).status).toBe(404));
    expect((await signIn(email)).tenants).toEqual({});

    const back = await directory.call("PUT", `/Users/${made.json.id}`, oktaUser(email));
    expect(back.json).toMatchObject({ active: true });
    expect((await signIn(email)).tenants).toEqual({ [directory.tenantId]: "viewer" });

    expect((await directory.call("DELETE", `/Users/${made.json.id}`)).status).toBe(204);
    expect((await directory.call("GET", `/Users/${made.json.id}`)).status).toBe(404);
    expect((await signIn(email)).tenants).toEqual({});
    const trail = await database.sql<{ action: string; actor_id: string }[]>`
      select action, actor_id from audit_entries
      where tenant_id = ${directory.tenantId} and actor_type = 'system' order by audit_id`;
    expect(trail.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["scim_user.created", "member.added", "member.removed"]),
    );
    expect(new Set(trail.map(({ actor_id }) => actor_id))).toEqual(new Set(["directory"]));
  });

  it("pushes a group, whose name is the role of its members", async () => {
    const directory = await openDirectory();
    const email = `dev@${directory.domain}`;
    const id = await create(directory, "dev");
    await signIn(email);
    const groupId = await createGroup(directory, "Developer", [id]);
    expect(await roleOf(directory, email)).toBe("developer");
    const user = await directory.call("GET", `/Users/${id}`);
    expect(user.json.groups).toMatchObject([{ value: groupId, display: "Developer" }]);

    const renamed = patch({ op: "replace", value: { id: groupId, displayName: "Billing" } });
    expect((await directory.call("PATCH", `/Groups/${groupId}`, renamed)).status).toBe(204);
    expect(await roleOf(directory, email)).toBe("billing");

    const replaced = patch({ op: "replace", path: "members", value: [] });
    expect((await directory.call("PATCH", `/Groups/${groupId}`, replaced)).status).toBe(204);
    expect(await roleOf(directory, email)).toBe("viewer");
    expect((await directory.call("DELETE", `/Groups/${groupId}`)).status).toBe(204);
    expect((await directory.call("GET", "/Groups")).json.totalResults).toBe(0);
  });
});

describe("Microsoft Entra ID", () => {
  it("creates, looks for, changes and disables a person in its own words", async () => {
    const directory = await openDirectory();
    const email = `grace@${directory.domain}`;
    const made = await directory.call(
      "POST",
      "/Users",
      entraUser("Grace_Principal@elsewhere.example", email),
    );
    expect(made.status).toBe(201);
    expect(made.json.schemas).toEqual([USER]);
    const path = `/Users/${made.json.id}`;
    for (const filter of [
      'userName eq "GRACE_principal@ELSEWHERE.example"',
      `emails[type eq "work"].value eq "${email}"`,
      'externalId eq "58342554-38d6-4ec8-948c-50044d0a33fd" and active eq true',
      `${USER}:userName sw "grace" and not (displayName co "turing")`,
    ]) {
      const found = await directory.call("GET", `/Users?filter=${encodeURIComponent(filter)}`);
      expect(found.json.Resources, filter).toMatchObject([{ id: made.json.id }]);
    }
    await signIn(email);
    expect(await roleOf(directory, email)).toBe("viewer");
    const changed = await directory.call(
      "PATCH",
      path,
      patch(
        { op: "Replace", path: "displayName", value: "Grace Hopper" },
        { op: "Add", path: "name.familyName", value: "Hopper" },
        {
          op: "Replace",
          path: 'emails[type eq "work"].value',
          value: `hopper@${directory.domain}`,
        },
        { op: "Replace", path: 'emails[type eq "home"].value', value: "private@home.example" },
        { op: "Add", path: `${ENTERPRISE}:department`, value: "Navy" },
        { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+1" },
        { op: "Add", value: { "name.givenName": "Grace M.", [`${ENTERPRISE}:title`]: "Admiral" } },
      ),
    );
    expect(changed.status, JSON.stringify(changed.json)).toBe(200);
    expect(changed.json).toMatchObject({
      displayName: "Grace Hopper",
      name: { givenName: "Grace M.", familyName: "Hopper" },
      emails: [{ value: `hopper@${directory.domain}` }],
    });
    const off = patch({ op: "Replace", path: "active", value: "False" });
    expect((await directory.call("PATCH", path, off)).json.active).toBe(false);
    expect(await roleOf(directory, email)).toBeUndefined();
    const on = patch({ op: "replace", value: { active: true } });
    expect((await directory.call("PATCH", path, on)).json.active).toBe(true);
    expect(await roleOf(directory, email)).toBe("viewer");
  });

  it("fills and empties groups; of several, the role that may do the most counts", async () => {
    const directory = await openDirectory();
    const email = `lead@${directory.domain}`;
    const id = await create(directory, "lead");
    await signIn(email);
    const custom = await app.call(
      directory.owner.token,
      "POST",
      `/v1/tenants/${directory.tenantId}/roles`,
      { name: "Key readers", scopes: ["keys:read"] },
    );
    expect(custom.status, custom.text).toBe(201);
    const readers = await createGroup(directory, "key READERS");
    const admins = await createGroup(directory, "admin");
    const add = patch({ op: "Add", path: "members", value: [{ $ref: null, value: id }] });
    await directory.call("PATCH", `/Groups/${readers}`, add);
    expect(await roleOf(directory, email)).toMatch(/^rol_/);
    await directory.call("PATCH", `/Groups/${admins}`, add);
    expect(await roleOf(directory, email)).toBe("admin");

    const remove = patch({ op: "Remove", path: `members[value eq "${id}"]` });
    expect((await directory.call("PATCH", `/Groups/${admins}`, remove)).status).toBe(204);
    expect(await roleOf(directory, email)).toMatch(/^rol_/);
    const removeByValue = patch({ op: "Remove", path: "members", value: [{ value: id }] });
    await directory.call("PATCH", `/Groups/${readers}`, removeByValue);
    expect(await roleOf(directory, email)).toBe("viewer");

    const slim = await directory.call(
      "GET",
      `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "ADMIN"')}`,
    );
    expect(slim.json.Resources).toHaveLength(1);
    expect(slim.json.Resources[0].members).toEqual([]);
    const member = `id eq "${admins}" and members eq "${id}"`;
    const asked = await directory.call("GET", `/Groups?filter=${encodeURIComponent(member)}`);
    expect(asked.json.totalResults).toBe(0);
  });
});

describe("a directory", () => {
  it("says what it can do, and what it cannot", async () => {
    const { call } = await openDirectory();
    expect((await call("GET", "/ServiceProviderConfig")).json).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 100 },
    });
    const types = await call("GET", "/ResourceTypes");
    expect(types.json.Resources.map((type: { name: string }) => type.name)).toEqual([
      "User",
      "Group",
    ]);
    expect((await call("GET", `/Schemas/${USER}`)).json.attributes.length).toBeGreaterThan(4);
    expect((await call("POST", "/Bulk", {})).status).toBe(501);
    expect((await call("GET", "/Me")).status).toBe(501);
    expect((await call("GET", "/Nothing")).json).toMatchObject({ status: "404" });
    const wrong = await call("DELETE", "/Users");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, POST"]);
  });

  it("pages and searches through its own people alone", async () => {
    const directory = await openDirectory();
    for (const name of ["one", "two", "three"]) {
      await create(directory, name);
    }
    const page = await directory.call("GET", "/Users?startIndex=2&count=1");
    expect(page.json).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 });
    expect((await directory.call("GET", "/Users?startIndex=-5&count=-1")).json).toMatchObject({
      totalResults: 3,
      startIndex: 1,
      Resources: [],
    });
    const search = await directory.call("POST", "/Users/.search", {
      filter: 'userName sw "t" and meta.created gt "2001-01-01T00:00:00Z"',
    });
    expect(search.json.totalResults).toBe(2);
    expect((await directory.call("GET", "/Users?count=many")).json.scimType).toBe("invalidValue");
    const other = await openDirectory();
    expect((await other.call("GET", "/Users")).json.totalResults).toBe(0);
  });

  it("of another tenant does not exist by any method", async () => {
    const [ours, theirs] = [await openDirectory(), await openDirectory()];
    const id = await create(theirs, "secret");
    const groupId = await createGroup(theirs, "admin", [id]);
    const refused: Reply[] = [];
    for (const [kind, one] of [
      ["Users", id],
      ["Groups", groupId],
    ]) {
      const at = `/${kind}/${one}`;
      const body =
        kind === "Users" ? oktaUser(`x@${ours.domain}`) : { displayName: "admin", members: [] };
      refused.push(
        await ours.call("GET", at),
        await ours.call("PUT", at, body),
        await ours.call("PATCH", at, patch({ op: "replace", value: { externalId: "x" } })),
        await ours.call("DELETE", at),
      );
    }
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 404));
    const group = await createGroup(ours, "admin");
    const add = patch({ op: "add", path: "members", value: [{ value: id }] });
    expect((await ours.call("PATCH", `/Groups/${group}`, add)).json.scimType).toBe("invalidValue");
    const theirName = encodeURIComponent(`userName eq "secret@${theirs.domain}"`);
    expect((await ours.call("GET", `/Users?filter=${theirName}`)).json.totalResults).toBe(0);
  });

  it("speaks for its own domains alone, and tells nothing of others", async () => {
    const directory = await openDirectory();
    const stranger = `known@elsewhere${String(made)}.example`;
    await signIn(stranger);
    const answers = [];
    for (const email of [stranger, `unknown@elsewhere${String(made)}.example`]) {
      answers.push(await directory.call("POST", "/Users", oktaUser(email)));
    }
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(answers[0]?.json).toEqual(answers[1]?.json);
    expect(answers[0]?.json).toMatchObject({ scimType: "invalidValue", status: "400" });
    const id = await create(directory, "moving");
    const moved = patch({ op: "replace", path: "emails", value: [{ value: stranger }] });
    expect((await directory.call("PATCH", `/Users/${id}`, moved)).status).toBe(400);
    expect((await signIn(stranger)).tenants).toEqual({});
  });

  it("never takes the last owner, makes none, and leaves operators alone", async () => {
    const directory = await openDirectory();
    const email = `founder@${directory.domain}`;
    await signIn(email);
    const role = (name: string) => database.sql`
      insert into members (tenant_id, user_id, role, created_at)
      select ${directory.tenantId}, user_id, ${name}, now() from users where email = ${email}
      on conflict (tenant_id, user_id) do update set role = ${name}`;
    await role("owner");
    const id = await create(directory, "founder");
    const group = await createGroup(directory, "viewer", [id]);
    expect(await roleOf(directory, email)).toBe("owner");
    await database.sql`
      delete from members where tenant_id = ${directory.tenantId} and user_id = ${directory.owner.userId}`;
    for (const [method, body] of [
      ["PATCH", patch({ op: "replace", path: "active", value: false })],
      ["DELETE", undefined],
    ] as const) {
      const refused = await directory.call(method, `/Users/${id}`, body);
      expect(refused.status).toBe(409);
      expect(refused.json.detail).toContain("at least one owner");
    }
    expect(await roleOf(directory, email)).toBe("owner");
    const owners = await directory.call("POST", "/Groups", { displayName: "Owner" });
    expect(owners.json).toMatchObject({ status: "400", scimType: "invalidValue" });
    const toOwner = patch({ op: "replace", path: "displayName", value: "owner" });
    expect((await directory.call("PATCH", `/Groups/${group}`, toOwner)).status).toBe(400);

    const operator = `root@${directory.domain}`;
    await signIn(operator);
    await database.sql`update users set is_operator = true where email = ${operator}`;
    await create(directory, "root");
    await signIn(operator);
    expect(await roleOf(directory, operator)).toBeUndefined();
  });

  it("adopts members who were there, with the role that they have", async () => {
    const directory = await openDirectory();
    const email = `early@${directory.domain}`;
    await signIn(email);
    await database.sql`
      insert into members (tenant_id, user_id, role, created_at)
      select ${directory.tenantId}, user_id, 'admin', now() from users where email = ${email}`;
    const id = await create(directory, "early");
    expect(await roleOf(directory, email)).toBe("admin");
    expect((await directory.call("DELETE", `/Users/${id}`)).status).toBe(204);
    expect(await roleOf(directory, email)).toBeUndefined();
  });

  it("creates a person once, also at once and twice", async () => {
    const directory = await openDirectory();
    const bodies = [1, 2, 3].map((n) =>
      oktaUser(`${n === 2 ? "RACE" : "race"}@${directory.domain}`, { externalId: String(n) }),
    );
    const replies = await Promise.all(bodies.map((body) => directory.call("POST", "/Users", body)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    expect(replies.find(({ status }) => status === 409)?.json.scimType).toBe("uniqueness");
    const groups = await Promise.all(
      ["Admin", "ADMIN"].map((displayName) => directory.call("POST", "/Groups", { displayName })),
    );
    expect(groups.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  it("is refused in its own form for what is no SCIM", async () => {
    const directory = await openDirectory();
    const id = await create(directory, "target");
    const group = await createGroup(directory, "viewer");
    const at = `/Users/${id}`;
    const filter = (text: string) =>
      directory.call("GET", `/Users?filter=${encodeURIComponent(text)}`);
    const many = Array.from({ length: 30 }, () => 'id eq "1"').join(" or ");
    const cases: [string, Reply, number, string | undefined][] = [
      ["no JSON", await directory.call("POST", "/Users", "{"), 400, "invalidSyntax"],
      ["an array", await directory.call("POST", "/Users", []), 400, "invalidSyntax"],
      ["no name", await directory.call("POST", "/Users", {}), 400, "invalidValue"],
      [
        "no address",
        await directory.call("POST", "/Users", { userName: "x" }),
        400,
        "invalidValue",
      ],
      [
        "no operations",
        await directory.call("PATCH", at, { schemas: [PATCH] }),
        400,
        "invalidSyntax",
      ],
      [
        "a wrong op",
        await directory.call("PATCH", at, patch({ op: "move" })),
        400,
        "invalidSyntax",
      ],
      ["no path", await directory.call("PATCH", at, patch({ op: "remove" })), 400, "noTarget"],
      [
        "a wrong path",
        await directory.call("PATCH", at, patch({ op: "add", path: "a.b.c.d", value: 1 })),
        400,
        "invalidPath",
      ],
      [
        "too many operations",
        await directory.call(
          "PATCH",
          at,
          patch(...Array.from({ length: 1_001 }, () => ({ op: "add", path: "title", value: 1 }))),
        ),
        400,
        "tooMany",
      ],
      [
        "too many members",
        await directory.call("PUT", `/Groups/${group}`, {
          displayName: "viewer",
          members: Array.from({ length: 1_001 }, (_, n) => ({ value: `scu_${String(n)}` })),
        }),
        400,
        "tooMany",
      ],
      [
        "a group in a group",
        await directory.call("PUT", `/Groups/${group}`, {
          displayName: "viewer",
          members: [{ value: group }],
        }),
        400,
        "invalidValue",
      ],
      [
        "an unknown role",
        await directory.call("POST", "/Groups", { displayName: "Staff" }),
        400,
        "invalidValue",
      ],
      ["a broken filter", await filter("userName eq"), 400, "invalidFilter"],
      ["a filter of many terms", await filter(many), 400, "invalidFilter"],
      [
        "a filter that never ends",
        await filter(`userName eq "${"\n".repeat(60)}`),
        400,
        "invalidFilter",
      ],
      ["a deep filter", await filter("(".repeat(900)), 400, "invalidFilter"],
      ["an unknown attribute", await filter('password eq "x"'), 400, "invalidFilter"],
      ["a prototype", await filter('__proto__.polluted eq "x"'), 400, "invalidFilter"],
      ["a broken address", await directory.call("GET", "/Users/%00"), 404, undefined],
    ];
    for (const [name, reply, status, scimType] of cases) {
      expect([name, reply.status, reply.json.scimType]).toEqual([name, status, scimType]);
      expect(reply.json.schemas).toEqual(["urn:ietf:params:scim:api:messages:2.0:Error"]);
    }
    const large = await directory.call("POST", "/Users", JSON.stringify("x".repeat(600_000)));
    expect(large.status).toBe(413);
    const polluting = await directory.call(
      "PATCH",
      at,
      `{"Operations":[{"op":"add","path":"__proto__.polluted","value":1},{"op":"add","value":{"__proto__":{"polluted":1},"constructor":{"x":1}}}]}`,
    );
    expect(polluting.status).toBe(200);
    expect({}).not.toHaveProperty("polluted");
  });
});

describe("tokens of a directory", () => {
  it("are made, used, rolled and revoked by owners, and never shown again", async () => {
    const directory = await openDirectory();
    const { tenantId, owner } = directory;
    const path = `/v1/tenants/${tenantId}/scim`;
    const read = async () => scimReply.parse((await app.call(owner.token, "GET", path)).json);
    expect((await read()).tokens).toMatchObject([{ lastUsedAt: null }]);
    await create(directory, "used");
    await directory.call("POST", "/Users", oktaUser("far@away.example"));
    const used = await read();
    expect(used.tokens[0]?.lastUsedAt).not.toBeNull();
    expect(used.people).toEqual({ members: 0, waiting: 1, inactive: 0 });
    expect(used.requests).toMatchObject([
      { operation: "POST /Users", subject: "far@away.example", status: 400 },
      { operation: "POST /Users", subject: `used@${directory.domain}`, status: 201, detail: null },
    ]);
    const second = await app.call(owner.token, "POST", `${path}/tokens`);
    expect((await app.call(owner.token, "POST", `${path}/tokens`)).status).toBe(409);
    const [first] = used.tokens;
    const revoke = () =>
      app.call(owner.token, "DELETE", `${path}/tokens/${first?.scimTokenId ?? ""}`);
    expect((await revoke()).status).toBe(204);
    expect((await revoke()).status).toBe(404);
    expect((await directory.call("GET", "/Users")).status).toBe(401);
    const rolled = await callAs(second.json.secret, "GET", "/Users");
    expect(rolled.json.totalResults).toBe(1);
    const stored = await database.sql`select to_jsonb(t) as row from scim_tokens t`;
    expect(JSON.stringify(stored)).not.toContain(second.json.secret);
    expect(app.logged()).not.toContain(second.json.secret);
  });

  it("keep the latest requests only", async () => {
    const directory = await openDirectory();
    await app.services.transact.asOperator(async (tx) => {
      for (let n = 0; n < SCIM_REQUESTS_MAX + 5; n += 1) {
        await insertScimRequest(tx, {
          tenant_id: directory.tenantId,
          request_id: app.services.newId("request"),
          occurred_at: new Date(n),
          ...{ operation: "POST /Users", subject: null, status: 400, detail: "No." },
        });
      }
    });
    const [row] = await database.sql`
      select count(*)::int as count, min(occurred_at) as oldest from scim_requests
      where tenant_id = ${directory.tenantId}`;
    expect(row).toEqual({ count: SCIM_REQUESTS_MAX, oldest: new Date(5) });
  });

  it("that do not exist are refused, and guessing soon has to wait", async () => {
    const guess = () => callAs(`scim_${"x".repeat(43)}`, "GET", "/Users");
    const first = await guess();
    expect([first.status, first.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    await Promise.all(Array.from({ length: 300 }, guess));
    expect((await callAs(undefined, "GET", "/Users")).json).toMatchObject({ status: "429" });
    const directory = await openDirectory();
    expect((await directory.call("GET", "/Users")).status).toBe(200);
  });
});
