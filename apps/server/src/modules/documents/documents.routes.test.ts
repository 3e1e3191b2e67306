import { document } from "@turnpike/contract/documents";
import type { Actor } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, insertTestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiFixture, serveModule } from "#http/api-server.fixture.ts";
import type { AppServices } from "#platform/app-services.ts";
import { createDocumentsRoutes } from "./documents.routes.ts";
import { pruneDeletions } from "./prune-deletions.ts";

describe("documents over HTTP", () => {
  let database: TestDatabase;
  let services: AppServices;
  let api: ApiFixture;
  let ours: TenantId;
  let theirs: TenantId;

  beforeAll(async () => {
    database = await createTestDatabase();
    services = createLiveServices(database);
    ours = await insertTestTenant(database.sql);
    theirs = await insertTestTenant(database.sql);
    const scopes = ["documents:read", "documents:write"] as const;
    const actors: Record<string, Actor> = {
      ours: { type: "key", id: "key_ours", tenantId: ours, scopes },
      theirs: { type: "key", id: "key_theirs", tenantId: theirs, scopes },
      reader: { type: "key", id: "key_reader", tenantId: ours, scopes: ["documents:read"] },
      operator: { type: "operator", id: "op" },
    };
    api = await serveModule({ router: { documents: createDocumentsRoutes(services) }, actors });
  });
  afterAll(async () => {
    await api.close();
    await database.close();
  });

  let counter = 0;
  const newCollection = () => {
    counter += 1;
    return `collection-${String(counter)}`;
  };
  const path = (collection: string, id = "", tenant = ours) =>
    `/v1/tenants/${tenant}/documents/${collection}${id === "" ? "" : `/${id}`}`;
  const put = (collection: string, id: string, body: object, expectedRevision?: string) =>
    api.call("ours", "PUT", path(collection, id), {
      body,
      ...(expectedRevision === undefined ? {} : { expectedRevision }),
    });
  const putOk = async (...args: Parameters<typeof put>) => {
    const answer = await put(...args);
    expect(answer.status).toBe(200);
    return document.parse(await answer.json());
  };

  it("returns what was put, with a revision that grows with every write", async () => {
    const collection = newCollection();
    const body = { theme: "dark", list: [1, null, { "": "é😀" }], 'weird " key': true };
    const first = await putOk(collection, "a", body);
    expect(first.body).toEqual(body);
    const got = await api.call("reader", "GET", path(collection, "a"));
    expect(document.parse(await got.json())).toEqual(first);
    const second = await putOk(collection, "a", {});
    const third = await putOk(collection, "b", {});
    expect(BigInt(second.revision)).toBeGreaterThan(BigInt(first.revision));
    expect(BigInt(third.revision)).toBeGreaterThan(BigInt(second.revision));
  });

  it("answers 404 for a deleted tenant, even to operators", async () => {
    const collection = newCollection();
    await putOk(collection, "a", {});
    const statuses = async () => {
      const list = await api.call("operator", "GET", path(collection));
      const one = await api.call("operator", "GET", path(collection, "a"));
      return [list.status, one.status];
    };
    expect(await statuses()).toEqual([200, 200]);
    const setDeleted = (at: Date | null) =>
      database.sql`update tenants set deleted_at = ${at} where tenant_id = ${ours}`;
    await setDeleted(new Date());
    expect(await statuses()).toEqual([404, 404]);
    await setDeleted(null);
    expect(await statuses()).toEqual([200, 200]);
  });

  it("refuses a write based on another revision, returns the current one, and changes nothing", async () => {
    const collection = newCollection();
    const first = await putOk(collection, "a", { n: 1 }, "0");
    const second = await putOk(collection, "a", { n: 2 }, first.revision);
    for (const stale of [first.revision, "0"]) {
      const answer = await put(collection, "a", { n: 3 }, stale);
      expect(answer.status).toBe(409);
      expect(await answer.json()).toMatchObject({ code: "CONFLICT", revision: second.revision });
    }
    const answer = await api.call(
      "ours",
      "DELETE",
      `${path(collection, "a")}?expectedRevision=${first.revision}`,
    );
    expect(answer.status).toBe(409);
    const misspelt = await api.call("ours", "DELETE", `${path(collection, "a")}?revision=1`);
    expect(misspelt.status).toBe(400);
    const got = await api.call("ours", "GET", path(collection, "a"));
    expect((await got.json()).body).toEqual({ n: 2 });
  });

  it("lets exactly one of many concurrent writers win, for a new and for an existing document", async () => {
    const collection = newCollection();
    const race = async (expected: string) => {
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, n) => put(collection, "a", { n }, expected)),
      );
      const won = answers.filter((answer) => answer.status === 200);
      expect(won.length).toBe(1);
      expect(answers.filter((answer) => answer.status === 409).length).toBe(15);
      return document.parse(await won[0]?.json());
    };
    const created = await race("0");
    const changed = await race(created.revision);
    const got = await api.call("ours", "GET", path(collection, "a"));
    expect(document.parse(await got.json())).toEqual(changed);
  });

  it("records each write as a change in its transaction, and none for a refused write", async () => {
    const collection = newCollection();
    const { revision } = await putOk(collection, "a", {});
    await put(collection, "a", {}, "1");
    const rows = await database.sql`
      select revision, kind, tenant_id from changes where entity_id = ${`${collection}/a`}`;
    expect(rows).toEqual([{ revision: BigInt(revision), kind: "document", tenant_id: ours }]);
  });

  it("does not find a deleted document, and lets it be created again", async () => {
    const collection = newCollection();
    await putOk(collection, "a", {});
    expect((await api.call("ours", "DELETE", path(collection, "a"))).status).toBe(204);
    expect((await api.call("ours", "GET", path(collection, "a"))).status).toBe(404);
    expect((await api.call("ours", "DELETE", path(collection, "a"))).status).toBe(404);
    const listed = await (await api.call("ours", "GET", path(collection))).json();
    expect(listed).toEqual({ items: [], nextCursor: null });
    await putOk(collection, "a", { again: true }, "0");
  });

  it("lists a collection page by page, each document once", async () => {
    const collection = newCollection();
    for (const id of ["c", "a", "e", "b", "d"]) {
      await putOk(collection, id, { id });
    }
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = cursor === "" ? "?limit=2" : `?limit=2&cursor=${cursor}`;
      const page = await (await api.call("ours", "GET", path(collection) + query)).json();
      seen.push(...page.items.map((item: { documentId: string }) => item.documentId));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("ends a page of large documents early, and goes on after it", async () => {
    const collection = newCollection();
    const ids = Array.from({ length: 12 }, (_, index) => `d${String(index).padStart(2, "0")}`);
    for (const id of ids) {
      await putOk(collection, id, { text: "x".repeat(65_000) });
    }
    const first = await (await api.call("ours", "GET", path(collection))).json();
    // 512 KB are reached by the ninth.
    expect(first.items).toHaveLength(9);
    const next = `?cursor=${first.nextCursor}`;
    const second = await (await api.call("ours", "GET", path(collection) + next)).json();
    const seen = [...first.items, ...second.items].map((item) => item.documentId);
    expect(seen).toEqual(ids);
    expect(second.nextCursor).toBeNull();
  });

  it("hides the documents of one tenant from another, with the same 404 as for none", async () => {
    const collection = newCollection();
    await putOk(collection, "a", { secret: 1 });
    for (const method of ["GET", "DELETE"]) {
      expect((await api.call("theirs", method, path(collection, "a"))).status).toBe(404);
      expect((await api.call("theirs", method, path(collection, "a", theirs))).status).toBe(404);
    }
    expect((await api.call("theirs", "PUT", path(collection, "a"), { body: {} })).status).toBe(404);
    expect((await api.call("theirs", "GET", path(collection))).status).toBe(404);
    // The same name in their own tenant is another document.
    const own = await api.call("theirs", "PUT", path(collection, "a", theirs), {
      body: { own: 1 },
      expectedRevision: "0",
    });
    expect(own.status).toBe(200);
    const got = await api.call("ours", "GET", path(collection, "a"));
    expect((await got.json()).body).toEqual({ secret: 1 });
  });

  it("hides other tenants' rows in the database itself", async () => {
    const collection = newCollection();
    await putOk(collection, "a", {});
    const seen = await services.transact.asTenant(
      theirs,
      (tx) => tx`select * from documents where collection = ${collection}`,
    );
    expect(seen).toEqual([]);
    await expect(
      services.transact.asTenant(
        theirs,
        (tx) => tx`
          insert into documents (tenant_id, collection, document_id, revision, body, updated_at, updated_by)
          values (${ours}, ${collection}, 'b', 1, '{}', now(), 'x')`,
      ),
      // To a caller who may not see a tenant, it does not exist.
    ).rejects.toMatchObject({ code: "RESOURCE_NOT_FOUND" });
    await expect(
      services.transact.asTenant(theirs, (tx) => tx`truncate documents`),
    ).rejects.toMatchObject({ code: "42501" });
  });

  it("needs the scope, a credential and an existing tenant", async () => {
    const collection = newCollection();
    expect((await api.call("reader", "PUT", path(collection, "a"), { body: {} })).status).toBe(403);
    expect((await api.call("unknown", "GET", path(collection))).status).toBe(401);
    const nowhere = `ten_${"0".repeat(32)}` as TenantId;
    const answer = await api.call("operator", "PUT", path(collection, "a", nowhere), { body: {} });
    expect(answer.status).toBe(404);
  });

  it.each([
    ["too large a body", "a", { body: { a: "x".repeat(65_536) } }, "/body"],
    ["a body that is a list", "a", { body: [] }, "/body"],
    ["a NUL, which the database cannot store", "a", { body: { a: "\0" } }, "/body"],
    [
      "a revision that is not a number",
      "a",
      { body: {}, expectedRevision: "x" },
      "/expectedRevision",
    ],
    ["an unknown field", "a", { body: {}, tenant: "x" }, "/tenant"],
    ["the name of the stream as an id", "changes", { body: {} }, "/documentId"],
    ["an id with invalid characters", "a.b", { body: {} }, "/documentId"],
  ])("refuses %s and points at it", async (_what, id, input, pointer) => {
    const answer = await api.call("ours", "PUT", path(newCollection(), id), input);
    expect(answer.status).toBe(400);
    expect((await answer.json()).errors[0].pointer).toBe(pointer);
  });

  it("allows at most 2,000 documents of a tenant", async () => {
    const tenant = await insertTestTenant(database.sql);
    await database.sql`
      insert into documents (tenant_id, collection, document_id, revision, body, updated_at, updated_by)
      select ${tenant}, 'full', 'd' || n, n, '{}', now(), 'x' from generate_series(1, 2000) n`;
    const write = (id: string) =>
      api.call("operator", "PUT", path("full", id, tenant), { body: { n: 1 } });
    expect((await write("one-more")).status).toBe(409);
    expect((await write("d7")).status).toBe(200);
  });

  it("allows at most 200 of an actor's own, which do not count as shared", async () => {
    const tenant = await insertTestTenant(database.sql);
    const fill = (collection: string, count: number) => database.sql`
      insert into documents (tenant_id, collection, document_id, revision, body, updated_at, updated_by)
      select ${tenant}, ${collection}, 'd' || n, n, '{}', now(), 'x' from generate_series(1, ${count}) n`;
    const write = (collection: string) =>
      api.call("operator", "PUT", path(collection, "one-more", tenant), { body: { n: 1 } });
    await fill("my-views-op", 200);
    await fill("my-notes-someone-else", 2_000);
    expect((await write("my-drafts-op")).status).toBe(409);
    expect((await write("views")).status).toBe(200);
  });

  it("prunes deletions after 30 days and records up to which revision", async () => {
    const collection = newCollection();
    await putOk(collection, "a", {});
    await putOk(collection, "kept", {});
    await api.call("ours", "DELETE", path(collection, "a"));
    const [row] = await database.sql<{ revision: bigint }[]>`
      select revision from documents where collection = ${collection} and body is null`;
    const at = (days: number) => ({
      ...services,
      clock: { ...services.clock, now: () => new Date(Date.now() + days * 86_400_000) },
    });
    await pruneDeletions(at(29));
    expect(
      await database.sql`select 1 from documents where collection = ${collection}`,
    ).toHaveLength(2);
    expect(await pruneDeletions(at(31))).toBeGreaterThan(0);
    expect(
      await database.sql`select 1 from documents where collection = ${collection}`,
    ).toHaveLength(1);
    const [pruned] = await database.sql<{ revision: bigint }[]>`
      select revision from pruned_revisions where source = 'documents'`;
    expect(pruned?.revision).toBe(row?.revision);
  });

  it("hides an own collection from everyone else, as if it did not exist", async () => {
    // It ends with the digits of its owner's id.
    const own = path("my-views-ours");
    const saved = await api.call("ours", "PUT", `${own}/one`, { body: { name: "Mine" } });
    expect(saved.status).toBe(200);
    expect((await api.call("ours", "GET", own)).status).toBe(200);
    for (const [method, target, body] of [
      ["GET", own, undefined],
      ["GET", `${own}/one`, undefined],
      ["PUT", `${own}/one`, { body: {} }],
      ["DELETE", `${own}/one`, undefined],
    ] as const) {
      expect((await api.call("operator", method, target, body)).status).toBe(404);
    }
    expect((await api.call("reader", "GET", own)).status).toBe(404);
    expect((await api.call("ours", "DELETE", `${own}/one`)).status).toBe(204);
  });
});
