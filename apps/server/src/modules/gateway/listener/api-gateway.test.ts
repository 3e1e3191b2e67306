import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { AppError } from "@turnpike/domain/errors/app-error";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { openRawConnection } from "@turnpike/testkit/raw-http";
import { startRecordingUpstream } from "@turnpike/testkit/recording-upstream";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProblemRenderer, type ProblemRenderer } from "#http/problem-details.ts";
import { type Clock, systemClock } from "#platform/clock.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import type { Admission } from "../decide/decide-call.ts";
import { createForwardAuth } from "../forward-auth/forward-auth.ts";
import { createUpstreamRouter } from "../proxy/upstream-router.ts";
import type { AdmittedOutcome, CallRecorder } from "../record-call.ts";
import { createScopeQueryReader } from "../verify/read-scope-query.ts";
import { verifyKey } from "../verify/verify-key.ts";
import { createApiGateway } from "./api-gateway.ts";
import type { OpenCall } from "./open-calls.ts";

/** Keeps what it is recorded, in order. */
function createRecorder(isSaturated = false) {
  const recorded: string[] = [];
  const callRecorder: CallRecorder = {
    isSaturated,
    recordAdmitted: (admission, { meterId, method, rawTarget }) => {
      recorded.push("admitted");
      return {
        tenantId: admission.tenant.tenantId,
        keyId: admission.key.keyId,
        environment: admission.key.environment,
        meterId,
        outcome: "VALID",
        status: 200,
        method,
        route: rawTarget,
        occurredAtMs: 0,
        periodStartMs: admission.periodStartMs,
        periodEndMs: admission.periodEndMs,
        quantity: 1,
        leaseId: undefined,
      };
    },
    recordUnits: () => undefined,
    recordUnsent: () => recorded.push("unsent"),
    recordAllowed: () => recorded.push("allowed"),
    recordMeasure: () => recorded.push("measured"),
    abandon: () => recorded.push("abandoned"),
    recordDenied: () => recorded.push("denied"),
  };
  return { recorded, callRecorder };
}

const TERMS = {
  name: "Free",
  description: "",
  currency: "EUR",
  pricePerMonth: "0",
  visibility: "public",
  rateLimits: [],
  quotas: [],
} as const;
const TENANT = {
  tenantId: newUuidId("tenant"),
  suspended: false,
  standing: "current",
  planId: "free",
  planVersion: 1,
} as const;

/** An admission of a key with these scopes. */
function admissionOf(scopes: readonly string[]): Admission {
  return {
    allowed: true,
    keyHash: "hash",
    cost: 1,
    hold: undefined,
    limits: [],
    periodStartMs: 0,
    periodEndMs: 1,
    tenant: {
      ...TENANT,
      terms: TERMS,
      periodAnchor: new Date(0),
      periodUnit: "month",
    },
    key: {
      keyId: newUuidId("key"),
      originKeyId: newUuidId("key"),
      tenantId: TENANT.tenantId,
      nameText: `"Key"`,
      environment: "live",
      scopes,
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

async function startGateway(
  scopes: () => readonly string[],
  {
    recorder = createRecorder(),
    onOpen = () => undefined,
    // Nothing listens there.
    upstreamUrl = "http://127.0.0.1:1",
    maxConcurrent,
    pagesOrigin,
    clock = systemClock,
    renderProblem = createProblemRenderer("http://console.test/docs"),
  }: {
    recorder?: ReturnType<typeof createRecorder>;
    onOpen?: (call: OpenCall) => void;
    upstreamUrl?: string;
    maxConcurrent?: number;
    pagesOrigin?: string;
    clock?: Clock;
    renderProblem?: ProblemRenderer;
  } = {},
) {
  const gateway = createApiGateway(
    {
      decideCall: () => admissionOf(scopes()),
      callRecorder: recorder.callRecorder,
      openCalls: { add: onOpen, delete: () => undefined },
      renderProblem,
      newId: newUuidId,
      clock,
      logger: createLogger({ level: "silent" }),
    },
    {
      router: createUpstreamRouter([
        {
          name: "api",
          url: upstreamUrl,
          maxConcurrent,
          timeouts: { connectMs: 60_000, headersMs: 60_000, idleMs: 60_000 },
          maxRequestBytes: 1_000,
          preserveHost: false,
        },
      ]),
      trustedProxies: [],
      instanceName: "test",
      signingSecret: "a signing secret that only tests use",
      maxConnections: 10,
      plansUrl: "http://console.test/plans",
      pagesOrigin,
    },
  );
  const { port } = await gateway.server.listen({ port: 0, host: "127.0.0.1" });
  return {
    port,
    recorded: recorder.recorded,
    activeCalls: () => gateway.proxy.activeCalls().get("api"),
    call: () => fetch(`http://127.0.0.1:${String(port)}/`, { headers: { "x-api-key": "k" } }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([gateway.server.close(100), gateway.proxy.close(100)]);
    },
  };
}

function verify(
  { callRecorder }: ReturnType<typeof createRecorder>,
  { whenDurable, cost = 1 }: { whenDurable?: () => Promise<void>; cost?: number } = {},
): string | Promise<string> {
  return verifyKey(
    {
      recheckRights: () => expect.fail("no verification is repeated"),
      decideCall: () => admissionOf([]),
      callRecorder,
      whenDurable,
      readScopeQuery: createScopeQueryReader(),
      catalog: {
        get: () => Promise.resolve({ plans: [], meters: [], eventMeterIds: new Set() }),
      },
      plansUrl: "http://console.test/plans",
      locks: {
        describe: () => expect.fail("nothing is reserved"),
        hasRoom: () => expect.fail("nothing is reserved"),
        reserve: () => expect.fail("nothing is reserved"),
      },
    },
    { actor: { type: "operator", id: "test" }, requestId: "req_test" },
    { key: "k", cost, meter: "requests" },
  );
}

async function startForwardAuth(
  { callRecorder }: ReturnType<typeof createRecorder>,
  whenDurable: () => Promise<void>,
) {
  const serve = createForwardAuth(
    {
      decideCall: () => admissionOf([]),
      callRecorder,
      whenDurable,
      renderProblem: createProblemRenderer("http://console.test/docs"),
      newId: newUuidId,
      clock: systemClock,
      logger: createLogger({ level: "silent" }),
    },
    {
      trustedProxies: ["127.0.0.1"],
      signingSecret: "a signing secret that only tests use",
      plansUrl: "http://console.test/plans",
    },
  );
  const server = createServer(serve.handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const headers = { "x-forwarded-method": "GET", "x-forwarded-uri": "/v1/maps", "x-api-key": "k" };
  return {
    ask: () => fetch(`http://127.0.0.1:${String(port)}/v1/authorize/caddy`, { headers }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

describe("createApiGateway", () => {
  it("undoes an admission whose call cannot be sent, once, and goes on", async () => {
    let isBroken = true;
    await using gateway = await startGateway(() => {
      return isBroken
        ? new Proxy([], {
            get: () => {
              throw new Error("a fault of ours");
            },
          })
        : [];
    });
    expect((await gateway.call()).status).toBe(500);
    expect(gateway.recorded).toEqual(["abandoned"]);
    isBroken = false;
    expect((await gateway.call()).status).toBe(502);
    await pollUntil("the end of the call", () => gateway.recorded.includes("measured"));
    expect(gateway.recorded).toEqual(["abandoned", "admitted", "measured"]);
  });

  it("admits nothing that could not be written down, nor does verification", async () => {
    const recorder = createRecorder(true);
    await using gateway = await startGateway(() => [], { recorder });
    const reply = await gateway.call();
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(() => verify(recorder)).toThrow(AppError);
    expect(recorder.recorded).toEqual([]);
  });
});

const HOST = "Host: api.example.com\r\n";
const KEY = "X-Api-Key: k\r\n";
const UPGRADE = `GET /socket HTTP/1.1\r\n${HOST}${KEY}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
const CONNECT = `CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`;

/** An upstream that answers `/slow` when the test says so, and anything else at once. */
async function startSlowUpstream() {
  const waiting: ServerResponse[] = [];
  const upstream = await startRecordingUpstream({
    onRequest: (req, res) => req.url === "/slow" && waiting.push(res) > 0,
  });
  onTestFinished(() => upstream.close());
  return { ...upstream, waiting };
}

describe("a request for the whole connection, behind a call that is not yet answered,", () => {
  it("to become a WebSocket is answered in its turn, as an ordinary call", async () => {
    const upstream = await startSlowUpstream();
    await using gateway = await startGateway(() => [], { upstreamUrl: upstream.url });
    const connection = await openRawConnection(gateway.port);
    connection.write(`GET /slow HTTP/1.1\r\n${HOST}${KEY}\r\n`);
    await pollUntil("the call is under way", () => upstream.waiting.length === 1);
    connection.write(UPGRADE);
    await pollUntil("the second is with the upstream", () => upstream.requests.length === 1);
    upstream.waiting[0]?.end("slow");
    expect((await connection.readResponse()).body.toString()).toBe("slow");
    expect((await connection.readResponse()).body.toString()).toBe("ok");
    expect(upstream.requests[0]?.header("upgrade")).toBeUndefined();
    connection.destroy();
    expect((await gateway.call()).status).toBe(200);
  });

  it("to become a tunnel closes it, and the call ends", async () => {
    const upstream = await startSlowUpstream();
    await using gateway = await startGateway(() => [], { upstreamUrl: upstream.url });
    const connection = await openRawConnection(gateway.port);
    connection.write(`GET /slow HTTP/1.1\r\n${HOST}${KEY}\r\n`);
    await pollUntil("the call is under way", () => upstream.waiting.length === 1);
    connection.write(CONNECT);
    expect((await connection.readToEnd()).bytes.toString()).toBe("");
    upstream.waiting[0]?.end("slow");
    await pollUntil("the call is over", () => gateway.activeCalls() === 0);
    expect((await gateway.call()).status).toBe(200);
  });

  it("does no harm in one packet with a call that is refused at once", async () => {
    await using gateway = await startGateway(() => []);
    const refused = `GET / HTTP/1.1\r\n${HOST}\r\n`;
    const sockets = await openRawConnection(gateway.port);
    sockets.write(refused + UPGRADE.replace(KEY, ""));
    expect((await sockets.readResponse()).status).toBe(401);
    expect((await sockets.readResponse()).status).toBe(401);
    sockets.destroy();
    const tunnel = await openRawConnection(gateway.port);
    tunnel.write(refused + CONNECT);
    await tunnel.readToEnd();
    expect((await gateway.call()).status).toBe(502);
  });

  it("is served once the calls before it are answered", async () => {
    await using gateway = await startGateway(() => []);
    const connection = await openRawConnection(gateway.port);
    for (const bytes of [`GET / HTTP/1.1\r\n${HOST}\r\n`, CONNECT]) {
      connection.write(bytes);
      expect((await connection.readResponse()).status).toBe(bytes === CONNECT ? 405 : 401);
    }
    await connection.readToEnd();
  });
});

describe("a call that is cut while the upstream works on it", () => {
  it.each([
    { code: "REVOKED", status: 401, isBilled: true },
    // That a gateway is out of touch is no doing of its caller.
    { code: "LIMITS_UNAVAILABLE", status: 503, isBilled: false },
  ] as const)("is recorded with its code $code, billed: $isBilled", async (end) => {
    const upstream = await startSlowUpstream();
    const recorder = createRecorder();
    const outcomes: AdmittedOutcome[] = [];
    const { recordAdmitted } = recorder.callRecorder;
    recorder.callRecorder.recordAdmitted = (admission, target, outcome) => {
      outcomes.push(outcome);
      return recordAdmitted(admission, target, outcome);
    };
    const opened: OpenCall[] = [];
    await using gateway = await startGateway(() => [], {
      recorder,
      upstreamUrl: upstream.url,
      onOpen: (call) => opened.push(call),
    });
    const pending = fetch(`http://127.0.0.1:${String(gateway.port)}/slow`, {
      headers: { "x-api-key": "k" },
    });
    await pollUntil("it is with the upstream", () => upstream.waiting.length === 1);
    opened[0]?.sent.cut({ code: end.code, status: end.status, detail: "Its rights have ended." });
    expect((await pending).status).toBe(end.status);
    expect(outcomes).toEqual([{ kind: "failed", code: end.code, isBilled: end.isBilled }]);
  });
});

describe("a preflight", () => {
  const PREFLIGHT = `OPTIONS /slow HTTP/1.1\r\n${HOST}Origin: https://a.example\r\nAccess-Control-Request-Method: PUT\r\n`;

  it.each(["Content-Length: 9\r\n", "Transfer-Encoding: chunked\r\n"])(
    "with a body is none, and needs a key: %j",
    async (framing) => {
      const upstream = await startSlowUpstream();
      await using gateway = await startGateway(() => [], { upstreamUrl: upstream.url });
      const connection = await openRawConnection(gateway.port);
      connection.write(`${PREFLIGHT}${framing}\r\n`);
      expect((await connection.readResponse()).status).toBe(401);
      expect(gateway.activeCalls()).toBe(0);
      connection.destroy();
    },
  );

  it("of a page of ours is answered here, and its call can be read by that page alone", async () => {
    const upstream = await startSlowUpstream();
    const pagesOrigin = "https://console.example";
    await using gateway = await startGateway(() => [], { upstreamUrl: upstream.url, pagesOrigin });
    const connection = await openRawConnection(gateway.port);
    const preflight =
      "Access-Control-Request-Method: PUT\r\nAccess-Control-Request-Headers: authorization\r\n\r\n";
    connection.write(`OPTIONS /a HTTP/1.1\r\n${HOST}Origin: ${pagesOrigin}\r\n${preflight}`);
    const allowed = await connection.readResponse();
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toEqual([pagesOrigin]);
    expect(allowed.headers.get("access-control-allow-methods")).toEqual(["PUT"]);
    expect(allowed.headers.get("access-control-allow-headers")).toEqual(["authorization"]);
    expect(upstream.requests).toHaveLength(0);

    for (const origin of [pagesOrigin, "https://a.example"]) {
      connection.write(`GET /a HTTP/1.1\r\n${HOST}Origin: ${origin}\r\n${KEY}\r\n`);
      const { status, headers } = await connection.readResponse();
      expect(status).toBe(200);
      expect(headers.get("access-control-allow-origin")).toEqual(
        origin === pagesOrigin ? [pagesOrigin] : undefined,
      );
    }
    connection.destroy();
  });

  it("leaves places for calls with a key, however many come and however long they take", async () => {
    const upstream = await startSlowUpstream();
    await using gateway = await startGateway(() => [], {
      upstreamUrl: upstream.url,
      maxConcurrent: 4,
    });
    const preflights = await Promise.all([1, 2, 3, 4].map(() => openRawConnection(gateway.port)));
    for (const connection of preflights) {
      connection.write(`${PREFLIGHT}Content-Length: 0\r\n\r\n`);
    }
    const answers = preflights.map((connection) => connection.readResponse());
    const refused = await Promise.race(answers);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, ["1"]]);
    expect((await gateway.call()).status).toBe(200);
    await pollUntil("one is with the upstream", () => upstream.waiting.length === 1);
    upstream.waiting[0]?.end();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 503, 503, 503]);
    for (const connection of preflights) {
      connection.destroy();
    }
  });
});

describe("a fault of ours", () => {
  it("in a WebSocket that is being sent on answers 500, and the gateway goes on", async () => {
    const readings = { left: 1 };
    await using gateway = await startGateway(() => [], {
      clock: {
        ...systemClock,
        now: () => {
          readings.left -= 1;
          return readings.left < 0 ? expect.fail("the clock stops") : systemClock.now();
        },
      },
    });
    const connection = await openRawConnection(gateway.port);
    connection.write(UPGRADE);
    expect((await connection.readResponse()).status).toBe(500);
    expect(gateway.recorded).toEqual(["abandoned"]);
    readings.left = 100;
    expect((await gateway.call()).status).toBe(502);
  });

  it("in telling why a call is refused closes the connection, and the gateway goes on", async () => {
    const render = createProblemRenderer("http://console.test/docs");
    let isBroken = true;
    await using gateway = await startGateway(() => [], {
      renderProblem: (error, requestId) =>
        isBroken ? expect.fail("no words") : render(error, requestId),
    });
    const connection = await openRawConnection(gateway.port);
    connection.write(`GET / HTTP/1.1\r\n${HOST}\r\n`);
    expect((await connection.readToEnd()).bytes.toString()).toBe("");
    isBroken = false;
    expect((await gateway.call()).status).toBe(502);
  });
});

describe("with strict durability", () => {
  it("a verification is answered when its usage is on disk, and fails when it cannot be", async () => {
    const recorder = createRecorder();
    const onDisk = Promise.withResolvers<void>();
    let isAnswered = false;
    const answer = Promise.resolve(verify(recorder, { whenDurable: () => onDisk.promise }));
    void answer.then(() => {
      isAnswered = true;
    });
    await setImmediate();
    expect([recorder.recorded, isAnswered]).toEqual([["allowed"], false]);
    onDisk.resolve();
    expect(JSON.parse(await answer)).toMatchObject({ code: "VALID" });
    const whenDurable = () => Promise.reject(new Error("no space left"));
    await expect(verify(recorder, { whenDurable })).rejects.toThrow("no space left");
  });

  it("a verification that takes nothing does not wait, nor does any without it", () => {
    const whenDurable = () => expect.fail("nothing was recorded");
    expect(verify(createRecorder(), { whenDurable, cost: 0 })).toContain("VALID");
    expect(verify(createRecorder())).toContain("VALID");
  });

  it("a proxy may let a call pass once its usage is on disk, and not when it cannot be", async () => {
    const recorder = createRecorder();
    const onDisk = Promise.withResolvers<void>();
    let whenDurable = () => onDisk.promise;
    await using proxied = await startForwardAuth(recorder, () => whenDurable());
    let isAnswered = false;
    const answer = proxied.ask();
    void answer.then(() => {
      isAnswered = true;
    });
    await pollUntil("the call is recorded", () => recorder.recorded.includes("allowed"));
    await setImmediate();
    expect(isAnswered).toBe(false);
    onDisk.resolve();
    expect((await answer).status).toBe(200);
    whenDurable = () => Promise.reject(new Error("no space left"));
    expect((await proxied.ask()).status).toBe(500);
  });
});
