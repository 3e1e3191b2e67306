import { connect as connectSocket } from "node:net";
import type { LiveCall } from "@turnpike/contract/live-calls";
import type { Actor } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, insertTestTenant } from "@turnpike/testkit/test-services";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ApiFixture, serveModule } from "#http/api-server.fixture.ts";
import type { MeteredCall } from "#modules/metering/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { CHANGES_CHANNEL, type ChangeFeed, createChangeFeed } from "#platform/change-feed.ts";
import { insertChange } from "#platform/changes.store.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createListen } from "#platform/postgres-listen.ts";
import { createLiveCallsRawRoutes } from "./live-calls.routes.ts";
import { LIVE_CALLS_CHANNEL } from "./live-calls.store.ts";
import { createLiveCalls, type LiveCalls } from "./live-calls.ts";

/** What a process has of its own: connections, change feed, live calls. */
type Process = { services: AppServices; feed: ChangeFeed; live: LiveCalls; api: ApiFixture };

type Stream = {
  status: number;
  calls: LiveCall[];
  dropped: number;
  coverage: boolean[];
  isOver: boolean;
  close(): void;
};

let database: TestDatabase;
let here: Process;
let there: Process;
let ours: TenantId;
let theirs: TenantId;
const actors: Record<string, Actor> = {};
const shutdown = new AbortController();
const open: Stream[] = [];

async function startProcess(): Promise<Process> {
  const services = createLiveServices(database);
  const feed = createChangeFeed({
    ...services,
    listen: createListen(database.target, CHANGES_CHANNEL),
  });
  await feed.start();
  const live = createLiveCalls({
    ...services,
    changes: feed,
    listen: createListen(database.target, LIVE_CALLS_CHANNEL),
    processId: newUuidId("process"),
    shutdown: shutdown.signal,
  });
  const api = await serveModule({
    router: {},
    rawRoutes: createLiveCallsRawRoutes({
      ...services,
      liveCalls: live,
      changes: feed,
      findActor: async (credential) => actors[credential],
      shutdown: shutdown.signal,
      timing: { paceMs: 10, heartbeatMs: 500, lifetimeMs: 60_000, drainMs: 300 },
    }),
    actors,
  });
  return { services, feed, live, api };
}

beforeAll(async () => {
  database = await createTestDatabase();
  ours = await insertTestTenant(database.sql);
  theirs = await insertTestTenant(database.sql);
  const scopes = ["usage:read"] as const;
  actors["ours"] = { type: "key", id: "key_ours", tenantId: ours, scopes };
  actors["theirs"] = { type: "key", id: "key_theirs", tenantId: theirs, scopes };
  actors["scopeless"] = { type: "key", id: "key_none", tenantId: ours, scopes: [] };
  [here, there] = await Promise.all([startProcess(), startProcess()]);
});
afterEach(() => {
  for (const stream of open.splice(0)) {
    stream.close();
  }
});
afterAll(async () => {
  shutdown.abort();
  for (const process of [here, there]) {
    await process.api.close();
    await process.feed.stop();
  }
  await database.close();
});

const KEY = newUuidId("key");
const REQUEST = newUuidId("request");

function callOf(tenantId: TenantId, overrides: Partial<MeteredCall> = {}): MeteredCall {
  return {
    tenantId,
    requestId: REQUEST,
    keyId: KEY,
    environment: "live",
    meterId: "requests",
    outcome: "VALID",
    status: 200,
    method: "GET",
    route: "/v1/cities/{name}",
    occurredAtMs: Date.UTC(2026, 10, 21, 12),
    periodStartMs: 0,
    periodEndMs: 1,
    quantity: 1,
    leaseId: undefined,
    ...overrides,
  };
}

async function read(stream: Stream, response: Response): Promise<void> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts.filter((text) => text !== ":")) {
      const [name = "", data = ""] = part.split("\n").map((line) => line.replace(/^\w+: /, ""));
      const value = JSON.parse(data);
      if (name === "coverage") {
        stream.coverage.push(value.isWhole);
      } else {
        stream.calls.push(...value.calls);
        stream.dropped += value.dropped;
      }
    }
  }
}

async function follow(
  process: Process,
  options: { as?: string; tenant?: TenantId; query?: string } = {},
): Promise<Stream> {
  const abort = new AbortController();
  const { as = "ours", tenant = ours, query = "" } = options;
  const response = await fetch(`${process.api.url}/v1/tenants/${tenant}/usage/live${query}`, {
    headers: { authorization: `Bearer ${as}` },
    signal: abort.signal,
  });
  const stream: Stream = {
    status: response.status,
    calls: [],
    dropped: 0,
    coverage: [],
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

/** A reader that other processes know of. */
async function followWhole(...of: Parameters<typeof follow>): Promise<Stream> {
  const stream = await follow(...of);
  await pollUntil("the others are heard", () => stream.coverage.at(-1) === true);
  await pollUntil("the others have heard", () =>
    [here, there].every(({ live }) => live.observer.isWatching),
  );
  return stream;
}

const routes = (stream: Stream) => stream.calls.map((call) => call.route);

describe("live calls", () => {
  it("cost a call nothing while there are no readers", async () => {
    const lone = createLiveCalls({
      ...here.services,
      changes: here.feed,
      listen: createListen(database.target, LIVE_CALLS_CHANNEL),
      processId: newUuidId("process"),
      shutdown: shutdown.signal,
    });
    expect(lone.observer.isWatching).toBe(false);
    const { end } = lone.watch(theirs, {}, () => undefined);
    expect(lone.observer.isWatching).toBe(true);
    end();
    expect(lone.observer.isWatching).toBe(false);
  });

  it("have the recorded fields of a call, and nothing else", async () => {
    const stream = await followWhole(here);
    here.live.observer.see(callOf(ours), { latencyMs: 12.3456, bytesIn: 7, bytesOut: 42 });
    here.live.observer.see(
      callOf(ours, { outcome: "RATE_LIMITED", status: 429, method: undefined, route: undefined }),
    );
    await pollUntil("two calls", () => stream.calls.length === 2);
    const whole = {
      requestId: REQUEST,
      at: "2026-11-21T12:00:00.000Z",
      keyId: KEY,
      environment: "live",
      method: "GET",
      route: "/v1/cities/{name}",
      status: 200,
      outcome: "VALID",
      latencyMs: 12.3,
      bytesIn: 7,
      bytesOut: 42,
      model: "",
      tokens: null,
    };
    expect(stream.calls).toEqual([
      whole,
      {
        ...whole,
        method: "",
        route: "",
        status: 429,
        outcome: "RATE_LIMITED",
        latencyMs: null,
        bytesIn: null,
        bytesOut: null,
        model: "",
        tokens: null,
      },
    ]);
  });

  it("include the calls of other processes, each once, and none of another tenant", async () => {
    const stream = await followWhole(here);
    for (let n = 0; n < 120; n += 1) {
      there.live.observer.see(callOf(ours, { route: `/there/${String(n)}/"quoted"\\{x}` }));
      there.live.observer.see(callOf(theirs, { route: "/theirs" }));
    }
    here.live.observer.see(callOf(theirs, { route: "/theirs" }));
    here.live.observer.see(callOf(ours, { route: "/here" }));
    await pollUntil("all calls", () => stream.calls.length >= 121);
    expect(new Set(routes(stream)).size).toBe(121);
    expect(stream.calls.length).toBe(121);
    expect(routes(stream)).not.toContain("/theirs");
    expect(stream.dropped).toBe(0);
  });

  it("pass the filters", async () => {
    const stream = await followWhole(here, {
      query: "?status_class=4xx,5xx&environment=live&method=GET,&outcome=VALID,INVALID_KEY",
    });
    const see = (overrides: Partial<MeteredCall>) =>
      here.live.observer.see(callOf(ours, overrides));
    see({ status: 404, route: "/a" });
    see({ status: 200, route: "/no" });
    see({ status: 503, route: "/b", method: undefined });
    see({ status: 500, route: "/no", environment: "test" });
    see({ status: 500, route: "/no", method: "POST" });
    see({ status: 429, route: "/no", outcome: "RATE_LIMITED" });
    see({ status: 500, route: "/c" });
    await pollUntil("the last one", () => routes(stream).includes("/c"));
    expect(routes(stream)).toEqual(["/a", "/b", "/c"]);
  });

  it("are counted when they come faster than they can be shown, and never exceed their bound", async () => {
    const stream = await followWhole(here);
    const burst = 5_000;
    for (let n = 0; n < burst; n += 1) {
      here.live.observer.see(callOf(ours));
      there.live.observer.see(callOf(ours));
    }
    await pollUntil("every call, shown or counted", () => {
      return stream.calls.length + stream.dropped >= 2 * burst;
    });
    expect(stream.calls.length + stream.dropped).toBe(2 * burst);
    // What one reader is kept for, and what one process sends on at once.
    expect(stream.calls.length).toBeLessThanOrEqual(1_000 + 500);
  });

  it("are all shown beside the flood of another tenant", async () => {
    const stream = await followWhole(here);
    actors["flooding"] = {
      type: "key",
      id: "key_flooding",
      tenantId: theirs,
      scopes: ["usage:read"],
    };
    const flood = await followWhole(here, { as: "flooding", tenant: theirs });
    await pollUntil("the flood is followed", () => {
      there.live.observer.see(callOf(theirs));
      return flood.calls.length > 0;
    });
    for (let n = 0; n < 50; n += 1) {
      for (let times = 0; times < 100; times += 1) {
        there.live.observer.see(callOf(theirs));
      }
      there.live.observer.see(callOf(ours, { route: `/quiet/${String(n)}` }));
    }
    await pollUntil("the calls of both", () => {
      return stream.calls.length === 50 && flood.calls.length + flood.dropped >= 5_000;
    });
    expect(stream.dropped).toBe(0);
    expect(flood.dropped).toBeGreaterThan(0);
  });

  it("never wait for a reader that takes nothing, which is dropped", async () => {
    const { hostname, port } = new URL(here.api.url);
    const socket = connectSocket(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.write(
      `GET /v1/tenants/${ours}/usage/live HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ours\r\n\r\n`,
    );
    socket.pause();
    await pollUntil("it is followed", () => here.live.observer.isWatching);
    const route = "/".padEnd(200, "x");
    await pollUntil("there is no reader", () => {
      for (let n = 0; n < 1_000; n += 1) {
        here.live.observer.see(callOf(ours, { route }));
      }
      return !here.live.observer.isWatching;
    });
    socket.destroy();
  });

  it("refuse strangers, readers without the scope, and unknown filters", async () => {
    expect((await follow(here, { as: "theirs" })).status).toBe(404);
    expect((await follow(here, { as: "scopeless" })).status).toBe(403);
    expect((await follow(here, { query: "?status=abc" })).status).toBe(400);
    expect((await follow(here, { query: "?measures=requests" })).status).toBe(400);
    expect((await fetch(`${here.api.url}/v1/tenants/${ours}/usage/live`)).status).toBe(401);
  });

  it("end when the credential is revoked, with or without a change in the feed", async () => {
    const scopes = ["usage:read"] as const;
    actors["told"] = { type: "key", id: "key_told", tenantId: ours, scopes };
    actors["untold"] = { type: "key", id: "key_untold", tenantId: ours, scopes };
    const told = await followWhole(here, { as: "told" });
    const untold = await followWhole(here, { as: "untold" });
    delete actors["told"];
    delete actors["untold"];
    await here.services.transact.asOperator((tx) =>
      insertChange(tx, { kind: "key", tenantId: ours, entityId: "key_told" }),
    );
    await pollUntil("both ends", () => told.isOver && untold.isOver);
  });

  it("end when the credential expires, however many calls there are", async () => {
    actors["brief"] = { type: "key", id: "key_brief", tenantId: ours, scopes: ["usage:read"] };
    const stream = await followWhole(here, { as: "brief" });
    delete actors["brief"];
    await pollUntil("the end", () => {
      here.live.observer.see(callOf(ours));
      return stream.isOver;
    });
  });

  it("end when the tenant is suspended, and do not start again", async () => {
    const tenant = await insertTestTenant(database.sql);
    actors["member"] = {
      type: "user",
      id: newUuidId("user"),
      isOperator: false,
      roles: new Map([[tenant, "viewer"]]),
    };
    const stream = await followWhole(here, { as: "member", tenant });
    await database.sql`update tenants set suspended_at = now() where tenant_id = ${tenant}`;
    await here.services.transact.asOperator((tx) =>
      insertChange(tx, { kind: "tenant", tenantId: tenant, entityId: tenant }),
    );
    await pollUntil("the end", () => stream.isOver);
    expect((await follow(here, { as: "member", tenant })).status).toBe(403);
  });

  it("allow six streams for an actor and refuse the seventh", async () => {
    actors["many"] = { type: "key", id: "key_many", tenantId: ours, scopes: ["usage:read"] };
    const streams = await Promise.all(
      Array.from({ length: 7 }, () => follow(here, { as: "many" })),
    );
    expect(streams.map(({ status }) => status).toSorted()).toEqual([
      200, 200, 200, 200, 200, 200, 429,
    ]);
  });

  it("publish the interest in a tenant once for all readers, and renew it in time", async () => {
    const [first, second] = [await insertTestTenant(database.sql), ours];
    const third = await insertTestTenant(database.sql);
    const clock = createFakeClock("2026-11-21T12:00:00Z");
    const processId = newUuidId("process");
    const ending = new AbortController();
    const lone = createLiveCalls({
      ...here.services,
      clock,
      changes: here.feed,
      listen: createListen(database.target, LIVE_CALLS_CHANNEL),
      processId,
      shutdown: ending.signal,
    });
    const told = async () => {
      const rows = await database.sql<{ tenant_id: string }[]>`
        select tenant_id from changes where kind = 'tail' and entity_id = ${processId}`;
      return rows.map((row) => row.tenant_id);
    };
    const watch = async (tenantId: TenantId, count: number) => {
      lone.watch(tenantId, {}, () => undefined);
      await pollUntil("it is published", async () => (await told()).length >= count);
    };
    await watch(first, 1);
    lone.watch(first, {}, () => undefined);
    await watch(second, 2);
    lone.watch(first, {}, () => undefined);
    expect((await told()).toSorted()).toEqual([first, second].toSorted());
    clock.advance(10_000);
    await watch(third, 5);
    expect((await told()).toSorted()).toEqual([first, first, second, second, third].toSorted());
    ending.abort();
  });
});
