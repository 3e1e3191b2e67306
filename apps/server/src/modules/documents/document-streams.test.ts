import { connect as connectSocket } from "node:net";
import { type DocumentChange, tenantNews } from "@turnpike/contract/documents";
import type { Actor, CallContext } from "@turnpike/domain/access/actor";
import type { Scope } from "@turnpike/domain/access/scopes";
import { ownCollection } from "@turnpike/domain/documents/own-collection";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, insertTestTenant } from "@turnpike/testkit/test-services";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ApiFixture, serveModule } from "#http/api-server.fixture.ts";
import type { AppServices } from "#platform/app-services.ts";
import { CHANGES_CHANNEL, type ChangeFeed, createChangeFeed } from "#platform/change-feed.ts";
import { insertChange } from "#platform/changes.store.ts";
import { createListen } from "#platform/postgres-listen.ts";
import { createDocumentsRawRoutes, createDocumentsRoutes } from "./documents.routes.ts";
import { deleteDocument, putDocument } from "./write-document.ts";

type Stream = {
  status: number;
  /** Parsed events; comments as `heartbeat`. */
  events: { name: string; id: string | undefined; data: DocumentChange }[];
  heartbeats: number;
  isOver: boolean;
  close(): void;
};

describe("the stream of changes", () => {
  let database: TestDatabase;
  let services: AppServices;
  let api: ApiFixture;
  let feed: ChangeFeed;
  let ours: TenantId;
  let theirs: TenantId;
  const actors: Record<string, Actor> = {};
  const shutdown = new AbortController();
  /** So long that a stream hears of a change from the change feed, not at a heartbeat. */
  const NO_HEARTBEAT_MS = 60 * 60_000;
  const timing = { heartbeatMs: 300, lifetimeMs: 60 * 60_000, drainMs: 300 };
  /** Open streams on the server. */
  let subscriptions = 0;
  const open: Stream[] = [];
  const context: CallContext = { actor: { type: "operator", id: "op" }, requestId: "req_test" };

  beforeAll(async () => {
    database = await createTestDatabase();
    services = createLiveServices(database);
    ours = await insertTestTenant(database.sql);
    theirs = await insertTestTenant(database.sql);
    const scopes = ["documents:read"] as const;
    actors["ours"] = { type: "key", id: "key_ours", tenantId: ours, scopes };
    actors["theirs"] = { type: "key", id: "key_theirs", tenantId: theirs, scopes };
    actors["scopeless"] = { type: "key", id: "key_none", tenantId: ours, scopes: [] };
    feed = createChangeFeed({
      ...services,
      listen: createListen(database.target, CHANGES_CHANNEL),
    });
    await feed.start();
    api = await serveModule({
      router: { documents: createDocumentsRoutes(services) },
      rawRoutes: createDocumentsRawRoutes({
        ...services,
        changes: {
          subscribe(listener) {
            subscriptions += 1;
            const end = feed.subscribe(listener);
            return () => {
              subscriptions -= 1;
              end();
            };
          },
        },
        findActor: async (credential) => actors[credential],
        shutdown: shutdown.signal,
        timing,
      }),
      actors,
    });
  });
  afterEach(() => {
    timing.heartbeatMs = 300;
    for (const stream of open.splice(0)) {
      stream.close();
    }
  });
  afterAll(async () => {
    await api.close();
    await feed.stop();
    await database.close();
  });

  let counter = 0;
  const newCollection = () => {
    counter += 1;
    return `stream-${String(counter)}`;
  };
  const put = (collection: string, documentId: string, body = {}, tenantId = ours) =>
    putDocument(services, context, { tenantId, collection, documentId, body });

  async function read(stream: Stream, response: Response): Promise<void> {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const field = (name: string) =>
          part
            .split("\n")
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2);
        if (part === ":") {
          stream.heartbeats += 1;
        } else {
          const data = JSON.parse(field("data") ?? "null");
          stream.events.push({ name: field("event") ?? "", id: field("id"), data });
        }
      }
    }
  }

  const listen = (
    collection: string,
    options: { as?: string; lastEventId?: string; tenant?: TenantId } = {},
  ): Promise<Stream> => follow(`documents/${collection}/changes`, options);

  async function follow(
    path: string,
    options: { as?: string; lastEventId?: string; tenant?: TenantId } = {},
  ): Promise<Stream> {
    const abort = new AbortController();
    const { as = "ours", lastEventId, tenant = ours } = options;
    const response = await fetch(`${api.url}/v1/tenants/${tenant}/${path}`, {
      headers: {
        authorization: `Bearer ${as}`,
        ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
      },
      signal: abort.signal,
    });
    const stream: Stream = {
      status: response.status,
      events: [],
      heartbeats: 0,
      isOver: false,
      close: () => abort.abort(),
    };
    open.push(stream);
    read(stream, response)
      .catch(() => undefined)
      .finally(() => {
        stream.isOver = true;
      });
    return stream;
  }

  const ids = (stream: Stream) => stream.events.map((event) => event.data.documentId);
  const hears = (stream: Stream, count: number) =>
    pollUntil(`${String(count)} events`, () => stream.events.length >= count);

  it("begins with the present documents and pushes each change when the feed publishes it, not at a heartbeat", async () => {
    timing.heartbeatMs = NO_HEARTBEAT_MS;
    const collection = newCollection();
    await put(collection, "before");
    const stream = await listen(collection);
    await hears(stream, 1);
    const written = await put(collection, "after", { n: 1 });
    await hears(stream, 2);
    expect(ids(stream)).toEqual(["before", "after"]);
    expect(stream.events[1]).toMatchObject({
      name: "change",
      id: written.revision,
      data: { body: { n: 1 }, revision: written.revision },
    });
  });

  it("sends a deletion as a change without a body", async () => {
    const collection = newCollection();
    await put(collection, "a");
    const stream = await listen(collection);
    await hears(stream, 1);
    await deleteDocument(services, context, { tenantId: ours, collection, documentId: "a" });
    await hears(stream, 2);
    expect(stream.events[1]?.data).toMatchObject({ documentId: "a", body: null });
  });

  it("continues after the last event seen, and misses nothing in between", async () => {
    const collection = newCollection();
    const first = await put(collection, "a");
    await put(collection, "b");
    await put(collection, "c");
    const stream = await listen(collection, { lastEventId: first.revision });
    await hears(stream, 2);
    expect(ids(stream)).toEqual(["b", "c"]);
  });

  it("loses no write of many concurrent writers, over several connections", async () => {
    const collection = newCollection();
    const writing = Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let n = 0; n < 15; n += 1) {
          await put(collection, `d-${String(writer)}-${String(n)}`);
        }
      }),
    );
    const seen = new Set<string>();
    let position = "0";
    await pollUntil("all 120 documents", async () => {
      const stream = await listen(collection, { lastEventId: position });
      await pollUntil("some events", () => stream.events.length > 0 || stream.heartbeats > 0);
      stream.close();
      for (const event of stream.events) {
        seen.add(event.data.documentId);
        expect(BigInt(event.id ?? "0")).toBeGreaterThan(BigInt(position));
        position = event.id ?? position;
      }
      return seen.size === 120;
    });
    await writing;
    expect(seen.size).toBe(120);
  });

  it("ends when the credential becomes invalid, however much is written", async () => {
    const collection = newCollection();
    actors["brief"] = {
      type: "key",
      id: "key_brief",
      tenantId: ours,
      scopes: ["documents:read"],
    };
    const stream = await listen(collection, { as: "brief" });
    delete actors["brief"];
    await pollUntil("the end", async () => {
      await put(collection, "often");
      return stream.isOver;
    });
  });

  it("sends nothing of another tenant, another collection, or a collection whose name begins alike", async () => {
    const collection = newCollection();
    const stream = await listen(collection);
    await put(collection, "theirs", {}, theirs);
    await put(`${collection}x`, "other");
    await put(collection, "ours");
    await hears(stream, 1);
    expect(ids(stream)).toEqual(["ours"]);
    const foreign = await listen(collection, { as: "theirs" });
    expect(foreign.status).toBe(404);
    // Our position is just a number in their tenant.
    const elsewhere = await listen(collection, { as: "theirs", tenant: theirs, lastEventId: "1" });
    await pollUntil("a heartbeat", () => elsewhere.heartbeats > 0);
    expect(ids(elsewhere).filter((id) => id !== "theirs")).toEqual([]);
  });

  it("resets a reader whose position is older than the kept deletions", async () => {
    const collection = newCollection();
    const first = await put(collection, "a");
    await put(collection, "b");
    await database.sql`
      update pruned_revisions set revision = ${BigInt(first.revision) + 1n} where source = 'documents'`;
    try {
      const stream = await listen(collection, { lastEventId: first.revision });
      await hears(stream, 3);
      expect(stream.events.map((event) => event.name)).toEqual(["reset", "change", "change"]);
      expect(stream.events[0]?.id).toBeUndefined();
    } finally {
      await database.sql`update pruned_revisions set revision = 0 where source = 'documents'`;
    }
  });

  it("ends when the feed publishes that the credential was revoked, not at a heartbeat", async () => {
    timing.heartbeatMs = NO_HEARTBEAT_MS;
    actors["doomed"] = {
      type: "key",
      id: "key_doomed",
      tenantId: ours,
      scopes: ["documents:read"],
    };
    const collection = newCollection();
    await put(collection, "before");
    const stream = await listen(collection, { as: "doomed" });
    await hears(stream, 1);
    delete actors["doomed"];
    await services.transact.asOperator((tx) =>
      insertChange(tx, { kind: "key", tenantId: ours, entityId: "key_doomed" }),
    );
    await pollUntil("the end", () => stream.isOver);
  });

  it("ends at a heartbeat after the scope was removed, even without a change in the feed", async () => {
    const fading: Actor = {
      type: "key",
      id: "key_fading",
      tenantId: ours,
      scopes: ["documents:read"],
    };
    actors["fading"] = fading;
    const stream = await listen(newCollection(), { as: "fading" });
    await pollUntil("a heartbeat", () => stream.heartbeats > 0);
    actors["fading"] = { ...fading, scopes: ["usage:read"] };
    await pollUntil("the end", () => stream.isOver);
  });

  it("opens six streams for an actor, refuses the seventh, and allows it again when one closes", async () => {
    actors["greedy"] = {
      type: "key",
      id: "key_greedy",
      tenantId: ours,
      scopes: ["documents:read"],
    };
    const collection = newCollection();
    const streams: Stream[] = [];
    for (let n = 0; n < 6; n += 1) {
      streams.push(await listen(collection, { as: "greedy" }));
    }
    expect(streams.map((stream) => stream.status)).toEqual([200, 200, 200, 200, 200, 200]);
    const answer = await api.call(
      "greedy",
      "GET",
      `/v1/tenants/${ours}/documents/${collection}/changes`,
    );
    expect(answer.status).toBe(429);
    expect((await answer.json()).code).toBe("TOO_MANY_STREAMS");
    expect((await listen(collection)).status).toBe(200);
    streams[0]?.close();
    await pollUntil(
      "a free permit",
      async () => (await listen(collection, { as: "greedy" })).status === 200,
    );
  });

  it("drops a reader that does not read", async () => {
    const collection = newCollection();
    const body = { filling: "x".repeat(60_000) };
    for (let n = 0; n < 200; n += 1) {
      await put(collection, `d${String(n)}`, body);
    }
    await pollUntil("no other stream", () => subscriptions === 0);
    const { port } = new URL(api.url);
    const socket = connectSocket(Number(port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      `GET /v1/tenants/${ours}/documents/${collection}/changes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ours\r\n\r\n`,
    );
    // 12 MB do not fit into the buffers in between.
    socket.pause();
    await pollUntil("the beginning", () => subscriptions === 1);
    await pollUntil("the end", () => subscriptions === 0);
    let received = 0;
    socket.on("data", (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    await pollUntil("the connection's end", () => socket.destroyed || socket.readableEnded);
    expect(received).toBeLessThan(200 * 60_000);
  });

  it("refuses a reader without the scope or a credential, and a position that is not a number", async () => {
    const path = `/v1/tenants/${ours}/documents/${newCollection()}/changes`;
    expect((await api.call("scopeless", "GET", path)).status).toBe(403);
    expect((await fetch(api.url + path)).status).toBe(401);
    const bad = await listen(newCollection(), { lastEventId: "now" });
    expect(bad.status).toBe(400);
  });

  it("tells two readers of a tenant's news what changed, by name: nothing of others, and notifications with their scope only", async () => {
    timing.heartbeatMs = NO_HEARTBEAT_MS;
    const member = (id: string, scopes: Scope[]): Actor => ({
      type: "key",
      id: `key_${id}`,
      tenantId: ours,
      scopes,
    });
    const ada = member("0a", ["documents:read", "documents:write", "notifications:read"]);
    const own = ownCollection("preferences", ada.id);
    actors["ada"] = ada;
    actors["bob"] = member("0b", ["documents:read"]);
    const readers = [await follow("news", { as: "ada" }), await follow("news", { as: "bob" })];
    const news = (stream: Stream | undefined) =>
      (stream?.events ?? []).map(({ data }) => tenantNews.parse(data));
    await pollUntil("the beginnings", () => readers.every((one) => one.events.length === 1));
    expect(news(readers[0])).toEqual([{ isAnything: true, collections: [], notifications: true }]);

    const [shared, last] = [newCollection(), newCollection()];
    await put(shared, "a", {}, theirs);
    await putDocument(
      services,
      { actor: ada, requestId: "req_test" },
      { tenantId: ours, collection: own, documentId: "console", body: { theme: "dark" } },
    );
    await services.transact.asOperator((tx) =>
      insertChange(tx, { kind: "notification", tenantId: ours, entityId: "ntf_1" }),
    );
    await put(last, "a");
    const names = (stream: Stream | undefined) => news(stream).flatMap((one) => one.collections);
    await pollUntil("the last one", () => readers.every((one) => names(one).includes(last)));
    expect(names(readers[0])).toEqual([own, last]);
    expect(names(readers[1])).toEqual([last]);
    const areTold = readers.map((one) =>
      news(one)
        .slice(1)
        .some((two) => two.notifications),
    );
    expect(areTold).toEqual([true, false]);
    expect((await api.call("theirs", "GET", `/v1/tenants/${ours}/news`)).status).toBe(404);
    expect((await api.call("scopeless", "GET", `/v1/tenants/${ours}/news`)).status).toBe(403);
  });

  it("ends every stream when the process drains", async () => {
    const stream = await listen(newCollection());
    await pollUntil("a heartbeat", () => stream.heartbeats > 0);
    shutdown.abort();
    await pollUntil("the end", () => stream.isOver);
  });
});
