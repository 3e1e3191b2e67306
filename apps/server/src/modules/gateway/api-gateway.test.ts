import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { AppError } from "@turnpike/domain/errors/app-error";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { describe, expect, it } from "vitest";
import { createProblemRenderer } from "#http/problem-details.ts";
import { systemClock } from "#platform/clock.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createApiGateway } from "./api-gateway.ts";
import type { Admission } from "./decide-call.ts";
import { createForwardAuth } from "./forward-auth.ts";
import { createScopeQueryReader } from "./read-scope-query.ts";
import type { CallRecorder } from "./record-call.ts";
import { verifyKey } from "./verify-key.ts";

/** Keeps what it is told, in order. */
function createRecorder(isSaturated = false) {
  const told: string[] = [];
  const callRecorder: CallRecorder = {
    isSaturated,
    recordAdmitted: (admission, { meterId, method, rawTarget }) => {
      told.push("admitted");
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
    recordAllowed: () => told.push("allowed"),
    recordMeasure: () => told.push("measured"),
    abandon: () => told.push("abandoned"),
    recordDenied: () => told.push("denied"),
  };
  return { told, callRecorder };
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
const TENANT = { tenantId: newUuidId("tenant"), suspended: false, planId: "free", planVersion: 1 };

/** An admission of a key with these scopes. */
function admissionOf(scopes: readonly string[]): Admission {
  return {
    allowed: true,
    cost: 1,
    hold: undefined,
    limits: [],
    periodStartMs: 0,
    periodEndMs: 1,
    tenant: {
      ...TENANT,
      terms: TERMS,
      periodAnchor: new Date(0),
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

async function startGateway(scopes: () => readonly string[], recorder = createRecorder()) {
  const gateway = createApiGateway(
    {
      decideCall: () => admissionOf(scopes()),
      callRecorder: recorder.callRecorder,
      recorder: { whenJournaled: () => Promise.resolve() },
      renderProblem: createProblemRenderer("http://console.test/docs"),
      newId: newUuidId,
      clock: systemClock,
      logger: createLogger({ level: "silent" }),
    },
    {
      // Nobody listens there.
      upstreams: [
        {
          name: "api",
          url: "http://127.0.0.1:1",
          timeouts: { connectMs: 500, headersMs: 500, idleMs: 500 },
          maxRequestBytes: 1_000,
          preserveHost: false,
        },
      ],
      trustedProxies: [],
      instanceName: "test",
      signingSecret: "a signing secret that only tests use",
      durability: "grouped",
      maxConnections: 10,
      plansUrl: "http://console.test/plans",
    },
  );
  const { port } = await gateway.server.listen({ port: 0, host: "127.0.0.1" });
  return {
    told: recorder.told,
    call: () => fetch(`http://127.0.0.1:${String(port)}/`, { headers: { "x-api-key": "k" } }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([gateway.server.close(100), gateway.proxy.close(100)]);
    },
  };
}

function verify(
  { callRecorder }: ReturnType<typeof createRecorder>,
  { whenJournaled, cost = 1 }: { whenJournaled?: () => Promise<void>; cost?: number } = {},
): string | Promise<string> {
  return verifyKey(
    {
      decideCall: () => admissionOf([]),
      callRecorder,
      whenJournaled,
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
  whenJournaled: () => Promise<void>,
) {
  const serve = createForwardAuth(
    {
      decideCall: () => admissionOf([]),
      callRecorder,
      whenJournaled,
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
  const server = createServer(serve).listen(0, "127.0.0.1");
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
    expect(gateway.told).toEqual(["abandoned"]);
    isBroken = false;
    expect((await gateway.call()).status).toBe(502);
    await pollUntil("the end of the call", () => gateway.told.includes("measured"));
    expect(gateway.told).toEqual(["abandoned", "admitted", "measured"]);
  });

  it("admits nothing that could not be written down, nor does verification", async () => {
    const recorder = createRecorder(true);
    await using gateway = await startGateway(() => [], recorder);
    const reply = await gateway.call();
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(() => verify(recorder)).toThrow(AppError);
    expect(recorder.told).toEqual([]);
  });
});

describe("with strict durability", () => {
  it("a verification is answered when its usage is on disk, and fails when it cannot be", async () => {
    const recorder = createRecorder();
    const onDisk = Promise.withResolvers<void>();
    let isAnswered = false;
    const answer = Promise.resolve(verify(recorder, { whenJournaled: () => onDisk.promise }));
    void answer.then(() => {
      isAnswered = true;
    });
    await setImmediate();
    expect([recorder.told, isAnswered]).toEqual([["allowed"], false]);
    onDisk.resolve();
    expect(JSON.parse(await answer)).toMatchObject({ code: "VALID" });
    const whenJournaled = () => Promise.reject(new Error("no space left"));
    await expect(verify(recorder, { whenJournaled })).rejects.toThrow("no space left");
  });

  it("a verification that takes nothing does not wait, nor does any without it", () => {
    const whenJournaled = () => expect.fail("nothing was recorded");
    expect(verify(createRecorder(), { whenJournaled, cost: 0 })).toContain("VALID");
    expect(verify(createRecorder())).toContain("VALID");
  });

  it("a proxy is told to let a call pass when its usage is on disk, and is not when it cannot be", async () => {
    const recorder = createRecorder();
    const onDisk = Promise.withResolvers<void>();
    let whenJournaled = () => onDisk.promise;
    await using proxied = await startForwardAuth(recorder, () => whenJournaled());
    let isAnswered = false;
    const answer = proxied.ask();
    void answer.then(() => {
      isAnswered = true;
    });
    await pollUntil("the call is recorded", () => recorder.told.includes("allowed"));
    await setImmediate();
    expect(isAnswered).toBe(false);
    onDisk.resolve();
    expect((await answer).status).toBe(200);
    whenJournaled = () => Promise.reject(new Error("no space left"));
    expect((await proxied.ask()).status).toBe(500);
  });
});
