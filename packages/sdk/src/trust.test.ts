import { describe, expect, it } from "vitest";
import { createTurnpike, type TurnpikeOptions, type VerifyOptions } from "./create-turnpike.ts";
import { TurnpikeRequestError, TurnpikeUnavailableError } from "./errors.ts";
import { refuse, VALID_REPLY } from "./fake-turnpike.fixture.ts";
import type { VerifyReply, VerifyRequest } from "./verification.ts";

const START = Date.UTC(2026, 0, 1);
const INVALID_KEY = refuse("INVALID_KEY");

type Answer = { status?: number; headers?: Record<string, string>; body: object };

/** A client of a Turnpike that answers as the test says, or not at all, and with a clock of the test's. */
function play(options: Partial<TurnpikeOptions> = {}) {
  let nowMs = 0;
  let answer: Answer | undefined;
  const sent: VerifyRequest[] = [];
  const turnpike = createTurnpike({
    url: "http://turnpike.test",
    serviceKey: "tp_svc_x",
    retriesMax: 0,
    ...options,
    runtime: {
      nowMs: () => nowMs,
      epochMs: () => START + nowMs,
      fetch: async (_url, init) => {
        sent.push(JSON.parse(String(init.body)));
        if (answer === undefined) {
          throw new TypeError("fetch failed");
        }
        const { status = 200, headers = {}, body } = answer;
        return new Response(JSON.stringify(body), { status, headers });
      },
    },
  });
  return {
    turnpike,
    sent,
    pass(ms: number): void {
      nowMs += ms;
    },
    async ask(request: VerifyRequest, reply: VerifyReply, headers: Record<string, string> = {}) {
      answer = { body: reply, headers };
      return await turnpike.verify(request);
    },
    /** The result of a call that may be let through. */
    async trust(request: VerifyRequest, reply?: Answer) {
      answer = reply;
      const call = turnpike.verify({ cost: 0, ...request }, { onUnavailable: "allow" });
      return await call.catch((error: unknown) => error);
    },
  };
}

const DENIED = expect.any(TurnpikeUnavailableError);

it.each<[string, VerifyRequest, VerifyRequest]>([
  ["any", { key: "k" }, { key: "k" }],
  ["any, from elsewhere", { key: "k" }, { key: "k", address: "192.0.2.1" }],
  ["its own", { key: "k", environment: "live" }, { key: "k", environment: "live" }],
  ["its own, elsewhere", { key: "k" }, { key: "k", environment: "live" }],
])(
  "trusts no key that is gone since it passed: asked for in %s environment",
  async (_what, before, gone) => {
    const { ask, trust, pass } = play();
    await ask(before, VALID_REPLY);
    await ask(gone, INVALID_KEY);
    pass(60_000);
    expect(await trust(before)).toEqual(DENIED);
  },
);

it("goes on trusting a key that was asked for in the other environment", async () => {
  const { ask, trust } = play();
  await ask({ key: "k" }, VALID_REPLY);
  await ask({ key: "k", environment: "test" }, INVALID_KEY);
  expect(await trust({ key: "k" })).toMatchObject({ valid: true, source: "outage" });
});

it("trusts no dead key again because many others were made up", async () => {
  const { ask, trust, pass } = play({ cache: { entriesMax: 3 } });
  await ask({ key: "k" }, VALID_REPLY);
  await ask({ key: "k" }, { ...INVALID_KEY, code: "REVOKED" });
  for (const key of ["a", "b", "c", "d"]) {
    await ask({ key }, { ...INVALID_KEY, code: "REVOKED" });
  }
  pass(60_000);
  expect(await trust({ key: "k" })).toEqual(DENIED);
});

it("trusts a key no longer than it lives", async () => {
  const { ask, trust, pass } = play();
  await ask({ key: "k" }, { ...VALID_REPLY, expiresAt: new Date(START + 10_000).toISOString() });
  pass(9_999);
  expect(await trust({ key: "k" })).toMatchObject({ valid: true, source: "outage" });
  pass(1);
  expect(await trust({ key: "k" })).toEqual(DENIED);
});

it("trusts a key no longer than it lives, also when another route was the last to hear of it", async () => {
  const { ask, trust, pass } = play();
  await ask({ key: "k" }, VALID_REPLY);
  const scoped = { key: "k", scopes: "maps:read" };
  await ask(scoped, { ...VALID_REPLY, expiresAt: new Date(START + 10_000).toISOString() });
  pass(10_000);
  expect(await trust({ key: "k" })).toEqual(DENIED);
});

it.each(["RATE_LIMITED", "QUOTA_EXCEEDED", "SPEND_CAP_REACHED", "TOO_MANY_LOCKS"] as const)(
  "goes on trusting a key that met a limit: %s",
  async (code) => {
    const { ask, trust } = play();
    await ask({ key: "k" }, VALID_REPLY);
    await ask({ key: "k", cost: 5, lock: {} }, refuse(code));
    expect(await trust({ key: "k" })).toMatchObject({ valid: true, source: "outage" });
  },
);

it.each(["DISABLED", "TENANT_SUSPENDED", "PAYMENT_REQUIRED"] as const)(
  "trusts a key no longer that is refused for its own sake or its tenant's: %s",
  async (code) => {
    const { ask, trust } = play();
    await ask({ key: "k" }, VALID_REPLY);
    await ask({ key: "k" }, refuse(code));
    expect(await trust({ key: "k" })).toEqual(DENIED);
  },
);

it("hands out a lock once: neither on trust nor from the cache", async () => {
  const { turnpike, ask, trust } = play({ cache: { checksMs: 60_000 } });
  const lock = { lockId: "lck_1", reserved: 0, expiresAt: "2026-01-01T00:10:00.000Z" };
  const call = { key: "k", cost: 0 };
  expect(await ask({ ...call, lock: {} }, { ...VALID_REPLY, lock })).toMatchObject({ lock });
  expect(await ask(call, VALID_REPLY)).not.toHaveProperty("lock");
  await ask({ ...call, cost: 5, lock: {} }, { ...VALID_REPLY, lock });
  const passed = await trust({ ...call, cost: 5 });
  expect(passed).toMatchObject({ source: "outage", tenantId: "ten_1" });
  expect(passed).not.toHaveProperty("lock");
  await turnpike.close({ timeoutMs: 0 });
});

it("learns nothing from an answer that is given again: it may be a day old", async () => {
  const replayed = { "idempotency-replayed": "true" };
  const { ask, trust, pass } = play();
  await ask({ key: "k" }, VALID_REPLY);
  await ask({ key: "k" }, { ...INVALID_KEY, code: "REVOKED" });
  pass(60_000);
  expect(await ask({ key: "k" }, VALID_REPLY, replayed)).toMatchObject({ valid: true });
  expect(await trust({ key: "k" })).toEqual(DENIED);
  expect(await ask({ key: "j" }, INVALID_KEY, replayed)).toMatchObject({ source: "server" });
  expect(await ask({ key: "j" }, VALID_REPLY)).toMatchObject({ valid: true, source: "server" });
});

describe("without its database", () => {
  /** Turnpike answers what it decides from memory, and 503 to what it has to write down. */
  function playWithout(options: Partial<TurnpikeOptions> = {}) {
    let nowMs = 0;
    let isAway = false;
    let asked = 0;
    const turnpike = createTurnpike({
      url: "http://turnpike.test",
      serviceKey: "tp_svc_x",
      retriesMax: 0,
      ...options,
      runtime: {
        nowMs: () => nowMs,
        sleep: () => new Promise(() => undefined),
        fetch: async (_url, init) => {
          asked += 1;
          const { lock } = JSON.parse(String(init.body)) as VerifyRequest;
          const isWritten = new Headers(init.headers).has("idempotency-key") || lock !== undefined;
          return isAway && isWritten
            ? Response.json({ code: "DATABASE_UNAVAILABLE" }, { status: 503 })
            : Response.json(VALID_REPLY);
        },
      },
    });
    return {
      pass(ms: number): void {
        nowMs += ms;
      },
      takeAway(): void {
        isAway = true;
      },
      ask: (request: object = {}, verifyOptions: VerifyOptions = {}) =>
        turnpike
          .verify({ key: "k", ...request }, verifyOptions)
          .then(({ source }) => source)
          .catch((error: unknown) => error),
      turnpike,
      asked: () => asked,
    };
  }

  it("goes on asking for routes that deny, however often those that allow had no answer", async () => {
    const { ask, takeAway, turnpike } = playWithout();
    await ask();
    takeAway();
    for (let calls = 0; calls < 5; calls += 1) {
      expect(await ask({}, { onUnavailable: "allow" })).toBe("outage");
      expect(await ask({ lock: {} }, { exactlyOnce: false })).toEqual(DENIED);
      expect(await ask()).toBe("server");
    }
    await turnpike.close({ timeoutMs: 0 });
  });

  it("lets routes pass that allow for no longer than they may, however often the others have an answer", async () => {
    const { ask, takeAway, pass, turnpike } = playWithout({ exposure: { secondsMax: 10 } });
    await ask();
    takeAway();
    for (let seconds = 0; seconds < 10; seconds += 1) {
      expect(await ask({}, { onUnavailable: "allow" })).toBe("outage");
      pass(1_000);
      expect(await ask()).toBe("server");
    }
    expect(await ask({}, { onUnavailable: "allow" })).toEqual(DENIED);
    await turnpike.close({ timeoutMs: 0 });
  });

  it("spares routes that allow the wait, however often the others have an answer", async () => {
    const { ask, takeAway, turnpike, asked } = playWithout();
    await ask();
    takeAway();
    for (let calls = 0; calls < 10; calls += 1) {
      await ask({}, { onUnavailable: "allow" });
      await ask();
    }
    // Three of those that were let through, one that is caught up, and the eleven others.
    expect(asked()).toBeLessThanOrEqual(15);
    await turnpike.close({ timeoutMs: 0 });
  });
});

it("takes the news that a call is under way for no outage", async () => {
  const { ask, trust, sent } = play();
  await ask({ key: "k" }, VALID_REPLY);
  const underWay = { status: 409, body: { code: "IDEMPOTENCY_KEY_IN_USE" } };
  for (let attempts = 0; attempts < 5; attempts += 1) {
    expect(await trust({ key: "stuck" }, underWay)).toMatchObject({
      name: "TurnpikeUnavailableError",
      code: "IDEMPOTENCY_KEY_IN_USE",
    });
  }
  expect(sent).toHaveLength(6);
  expect(await ask({ key: "k" }, VALID_REPLY)).toMatchObject({ source: "server" });
});

it.each([301, 404, 408])(
  "takes a %i of something else in Turnpike's place for an outage, not for a refusal",
  async (status) => {
    const { ask, trust } = play();
    await ask({ key: "k" }, VALID_REPLY);
    const elsewhere = { status, body: { message: "no such route" } };
    expect(await trust({ key: "k" }, elsewhere)).toMatchObject({ valid: true, source: "outage" });
    const refused = { status: 404, body: { code: "RESOURCE_NOT_FOUND" } };
    expect(await trust({ key: "k" }, refused)).toEqual(expect.any(TurnpikeRequestError));
  },
);

it.each([undefined, ""])(
  "says with the first call what is missing where the service key is %j",
  async (serviceKey) => {
    const { turnpike, sent } = play({ serviceKey });
    for (const call of [turnpike.verify({ key: "k" }), turnpike.release("lck_1")]) {
      const error: unknown = await call.catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(TurnpikeRequestError);
      expect(error).toMatchObject({
        code: "UNAUTHENTICATED",
        message: expect.stringContaining("serviceKey"),
      });
    }
    expect(sent).toEqual([]);
  },
);
