import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { latencyBucketOf } from "@turnpike/domain/metering/latency-histogram";
import { createRouteTable } from "@turnpike/domain/routes/route-table";
import { createFakeClock, type FakeClock } from "@turnpike/testkit/fake-clock";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createProblemRenderer } from "#http/problem-details.ts";
import { type Metering, startMetering } from "#modules/metering/index.ts";
import { systemClock } from "#platform/clock.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact } from "#platform/transact.ts";
import type { Admission, Decision } from "./decide/decide-call.ts";
import { type ApiGateway, createApiGateway } from "./listener/api-gateway.ts";
import { createUpstreamRouter } from "./proxy/upstream-router.ts";
import { createCallRecorder } from "./record-call.ts";

const HOUR_MS = 3_600_000;
const NOON_MS = Date.UTC(2026, 0, 15, 12);

let folder: TempFolder;
let database: TestDatabase;
let metering: Metering;
let gateway: ApiGateway;
let gatewayUrl: string;
const clock: FakeClock = createFakeClock("2026-01-15T12:00:00.000Z");
const upstream = createServer((req, res) => answer(req, res));
let answer: (req: IncomingMessage, res: ServerResponse) => void = (_req, res) => res.end();
let decision: Decision;
let tenantId: TenantId;

function admissionOf(tenant: TenantId): Admission {
  return {
    allowed: true,
    keyHash: "hash",
    cost: 1,
    hold: undefined,
    limits: [],
    periodStartMs: NOON_MS,
    periodEndMs: NOON_MS + HOUR_MS,
    tenant: {
      tenantId: tenant,
      suspended: false,
      standing: "current",
      planId: "free",
      planVersion: 1,
      periodAnchor: new Date(0),
      periodUnit: "month",
      terms: {
        name: "Free",
        description: "",
        currency: "EUR",
        pricePerMonth: "0",
        visibility: "public",
        rateLimits: [],
        quotas: [],
      },
    },
    key: {
      keyId: newUuidId("key"),
      originKeyId: newUuidId("key"),
      tenantId: tenant,
      nameText: `"Key"`,
      environment: "live",
      scopes: [],
      metadataText: "{}",
      networks: undefined,
      rateLimits: [],
      quotas: [],
      expiresAtMs: Number.POSITIVE_INFINITY,
      updatedAtMs: 0,
      disabled: false,
      revoked: false,
    },
  };
}

beforeAll(async () => {
  folder = await makeTempFolder();
  database = await createTestDatabase();
  const logger = createLogger({ level: "silent" });
  metering = await startMetering(
    {
      transact: createTransact(database.sql),
      clock: systemClock,
      newId: newUuidId,
      logger,
      folder: join(folder.path),
    },
    { groupIntervalMs: 5 },
  );
  upstream.on("upgrade", (_req, socket) => {
    clock.advance(40);
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    );
    socket.pipe(socket);
  });
  const upstreamPort = await findFreePort();
  upstream.listen(upstreamPort, "127.0.0.1");
  await once(upstream, "listening");
  const upstreamOf = (name: string, port: number) => ({
    name,
    url: `http://127.0.0.1:${String(port)}`,
    timeouts: { connectMs: 60_000, headersMs: 60_000, idleMs: 60_000 },
    maxRequestBytes: 1_000_000,
    preserveHost: false,
  });
  gateway = createApiGateway(
    {
      decideCall: () => decision,
      openCalls: { add: () => undefined, delete: () => undefined },
      callRecorder: createCallRecorder({
        recorder: metering.recorder,
        leases: metering.leases,
        clock,
        documents: {
          findRoute: (upstream, rawTarget) =>
            upstream === "api" ? CITIES.find(rawTarget) : undefined,
        },
      }),
      renderProblem: createProblemRenderer("http://console.test/docs"),
      newId: newUuidId,
      clock,
      logger,
    },
    {
      router: createUpstreamRouter([
        upstreamOf("api", upstreamPort),
        { ...upstreamOf("gone", await findFreePort()), hosts: ["gone.test"] },
      ]),
      trustedProxies: [],
      instanceName: "test",
      signingSecret: "a signing secret that only tests use",
      maxConnections: 100,
      plansUrl: "http://console.test/plans",
    },
  );
  const { port } = await gateway.server.listen({ port: 0, host: "127.0.0.1" });
  gatewayUrl = `http://127.0.0.1:${String(port)}`;
});

afterAll(async () => {
  await Promise.all([gateway.server.close(100), gateway.proxy.close(100)]);
  upstream.closeAllConnections();
  upstream.close();
  await metering.stop(5_000);
  await database.close();
  await folder[Symbol.asyncDispose]();
});

beforeEach(() => {
  tenantId = newUuidId("tenant");
  decision = admissionOf(tenantId);
});

function call(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(gatewayUrl + path, { ...init, headers: { "x-api-key": "k", ...init.headers } });
}

const CITIES = createRouteTable(["/cities/{city}"]);

type Row = {
  method: string;
  route: string;
  outcome: string;
  status: number;
  calls: number;
  in: number;
  out: number;
  buckets: number[];
  counts: number[];
};

/** The rollups of the tenant once they are as `isThere` says; those of hours say the same as those of minutes. */
async function readRollups(isThere: (rows: readonly Row[]) => boolean): Promise<Row[]> {
  return await pollUntil("the rollups", async () => {
    const { sql } = database;
    const read = (view: "usage_by_minute" | "usage_by_hour") => sql<Row[]>`
      select method, route, outcome, status::int, calls, "in", "out", array_to_json(buckets) as buckets,
        array_to_json(counts) as counts
      from (
        select method, route, outcome, status, sum(calls)::int as calls, sum(bytes_in)::int as "in",
          sum(bytes_out)::int as "out",
          sum(${view === "usage_by_hour" ? sql`latencies` : sql`pack_latencies(latency_buckets, latency_counts)`}) as latencies
        from ${sql(view)} where tenant_id = ${tenantId} group by key_id, occurred_at, method, route, outcome, status
      ) sums, unpack_latencies(latencies)
      order by status, method, route`;
    const minutes = [...(await read("usage_by_minute"))];
    if (!isThere(minutes)) {
      return false;
    }
    expect([...(await read("usage_by_hour"))]).toEqual(minutes);
    return minutes;
  });
}

const isMeasured = (rows: readonly Row[]): boolean => rows.some((row) => row.counts.length > 0);

describe("a call through the gateway", () => {
  it("is counted by the route that the upstream documents, and by a learned one where there is none", async () => {
    answer = (_, res) => res.end();
    await call("/cities/rome?secret=1");
    await call("/cities/rome/streets/17");
    const rows = await readRollups((all) => all.length === 2);
    expect(rows.map(({ route }) => route).toSorted()).toEqual([
      "/cities/rome/streets/{id}",
      "/cities/{city}",
    ]);
  });

  it("is counted by method and route, with its bytes and the time until its client had the answer", async () => {
    answer = (req, res) => {
      req.resume().on("end", () => {
        clock.advance(250);
        res.writeHead(201, { "content-type": "application/json" });
        res.write("x".repeat(2_000));
        clock.advance(1_000);
        res.end("x".repeat(3_000));
      });
    };
    const reply = await call("/v1/users/123/notes?secret=1", {
      method: "POST",
      body: "hello world",
    });
    expect((await reply.text()).length).toBe(5_000);
    expect(await readRollups(isMeasured)).toEqual([
      {
        method: "POST",
        route: "/v1/users/{id}/notes",
        outcome: "VALID",
        status: 201,
        calls: 1,
        in: 11,
        out: 5_000,
        buckets: [latencyBucketOf(1_250)],
        counts: [1],
      },
    ]);
  });

  it("is measured to the head of its answer when that is an event stream, not to what is sent afterwards", async () => {
    const listening = Promise.withResolvers<void>();
    answer = (_req, res) => {
      clock.advance(100);
      res.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      res.write("data: 1\n\n");
      void listening.promise.then(() => {
        clock.advance(90_000);
        res.end("data: 2\n\n");
      });
    };
    const reply = await call("/v1/events");
    listening.resolve();
    await reply.text();
    // Counted in the minute of its outcome, not in that of its end.
    expect(await readRollups(isMeasured)).toEqual([
      expect.objectContaining({
        method: "GET",
        route: "/v1/events",
        calls: 1,
        out: 18,
        buckets: [latencyBucketOf(100)],
      }),
    ]);
  });

  it("is measured to the upgrade when it becomes a WebSocket, with the bytes of both directions", async () => {
    const req = request(`${gatewayUrl}/v1/rooms/42`, {
      headers: {
        "x-api-key": "k",
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      },
    });
    req.end();
    const [, socket] = (await once(req, "upgrade")) as [IncomingMessage, import("node:net").Socket];
    socket.write("ping!");
    await once(socket, "data");
    clock.advance(5_000);
    socket.end();
    expect(await readRollups(isMeasured)).toEqual([
      expect.objectContaining({
        route: "/v1/rooms/{id}",
        status: 101,
        calls: 1,
        in: 5,
        buckets: [latencyBucketOf(40)],
      }),
    ]);
  });

  it("is counted under its route when it is refused, without a latency that would flatter the API", async () => {
    const { key, tenant, periodStartMs, periodEndMs } = admissionOf(tenantId);
    decision = {
      allowed: false,
      code: "REVOKED",
      detail: "This API key was revoked.",
      subject: { key, tenant, periodStartMs, periodEndMs },
      limit: undefined,
      limits: [],
      missingScopes: [],
      retryAfterMs: undefined,
    };
    expect((await call("/v1/users/9", { method: "DELETE" })).status).toBe(401);
    expect(await readRollups((rows) => rows.length > 0)).toEqual([
      {
        method: "DELETE",
        route: "/v1/users/{id}",
        outcome: "REVOKED",
        status: 401,
        calls: 1,
        in: 0,
        out: 0,
        buckets: [],
        counts: [],
      },
    ]);
  });

  it("is counted as OTHER by a method without a name of its own, and with its latency when the upstream is gone", async () => {
    const req = request(`${gatewayUrl}/dav/`, {
      method: "PROPFIND",
      headers: { "x-api-key": "k", host: "gone.test" },
    });
    req.end();
    const [reply] = (await once(req, "response")) as [IncomingMessage];
    reply.resume();
    expect(reply.statusCode).toBe(502);
    expect(await readRollups(isMeasured)).toEqual([
      expect.objectContaining({
        method: "OTHER",
        route: "/dav",
        outcome: "UPSTREAM_UNREACHABLE",
        status: 502,
        buckets: [0],
      }),
    ]);
  });

  it("says nothing about the API's speed when its client left first", async () => {
    answer = (req) => req.resume();
    const req = request(`${gatewayUrl}/v1/uploads`, {
      method: "PUT",
      headers: { "x-api-key": "k", "content-length": "1000" },
    });
    req.on("error", () => undefined);
    const arrived = once(upstream, "request");
    req.write("x".repeat(100));
    await arrived;
    req.destroy();
    expect(await readRollups((rows) => rows.some((row) => row.in > 0))).toEqual([
      expect.objectContaining({
        method: "PUT",
        route: "/v1/uploads",
        outcome: "CLIENT_ABORTED",
        status: 499,
        calls: 1,
        in: 100,
        out: 0,
        buckets: [],
      }),
    ]);
  });
});
