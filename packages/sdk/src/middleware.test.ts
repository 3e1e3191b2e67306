import { execFile } from "node:child_process";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { inspect, promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createTurnpike, type TurnpikeOptions } from "./create-turnpike.ts";
import { turnpikeExpress } from "./express.ts";
import { makeFakeTurnpike } from "./fake-turnpike.fixture.ts";
import { findKey, isForgedIdentity, isPreflight } from "./find-key.ts";
import { turnpikeNext } from "./next.ts";
import { removeHeaders } from "./node-request.ts";
import { cleanWebRequest } from "./web-request.ts";

/** A client of a Turnpike that does not run; what the examples show against the real one is not repeated here. */
function makeClient(options: Partial<TurnpikeOptions> = {}) {
  return createTurnpike({
    url: "http://127.0.0.1:9",
    serviceKey: "tp_svc_x",
    retriesMax: 0,
    ...options,
  });
}

/** Runs the middleware for Express as it would be: `reply` is what was answered, undefined when the handler's turn came. */
async function callExpress(
  headers: Record<string, string>,
  before: Record<string, string> = {},
  method = "GET",
) {
  const errors: unknown[] = [];
  const sent = new Map(Object.entries(before));
  const request = {
    method,
    url: "/v1",
    headers,
    rawHeaders: Object.entries(headers).flat(),
  };
  const body = await new Promise<string | undefined>((resolve, reject) => {
    const response = {
      statusCode: 200,
      hasHeader: (name: string) => sent.has(name),
      setHeader: (name: string, value: string) => sent.set(name, value),
      end: (text: string) => resolve(text),
    };
    turnpikeExpress(makeClient(), { onError: (error) => errors.push(error) })(
      request,
      response,
      (error) => (error === undefined ? resolve(undefined) : reject(error)),
    );
  });
  return { body, errors, sent };
}

describe("middleware", () => {
  it("leaves CORS that the program set before as it is: a star would forbid its credentials", async () => {
    const { sent } = await callExpress({}, { "access-control-allow-origin": "https://app.test" });
    expect(sent.get("access-control-allow-origin")).toBe("https://app.test");
    expect(sent.get("access-control-expose-headers")).toContain("Retry-After");
  });

  it("gives what a handler throws to the program, and does not call the handler again for it", async () => {
    // A process of its own: an uncaught error would end the tests.
    const program = `
      import { turnpikeExpress } from "./express.ts";
      let calls = 0;
      process.on("unhandledRejection", (error) => console.log(calls, error.message));
      const request = { method: "OPTIONS", url: "/v1", rawHeaders: [], headers: {
        origin: "https://app.test", "access-control-request-method": "GET",
      } };
      turnpikeExpress({})(request, {}, () => {
        calls += 1;
        throw new Error("of the handler");
      });`;
    const flags = ["--input-type=module", "--eval", program];
    const { stdout } = await promisify(execFile)(process.execPath, flags, {
      cwd: import.meta.dirname,
    });
    expect(stdout).toBe("1 of the handler\n");
  });

  it("answers 503 when there is no verdict, and says why to the program alone", async () => {
    const { body, sent, errors } = await callExpress({ "x-api-key": "k" });
    expect(JSON.parse(body ?? "")).toMatchObject({ code: "LIMITS_UNAVAILABLE", status: 503 });
    expect(body).not.toContain("127.0.0.1:9 ");
    expect(sent.get("retry-after")).toBe("2");
    expect(errors).toEqual([expect.objectContaining({ name: "TurnpikeUnavailableError" })]);
  });

  it("takes identities that a caller made up out of a preflight too", () => {
    const preflight = new Request("http://api.test/v1", {
      method: "OPTIONS",
      headers: { "x-turnpike-tenant": "forged", "x-other": "kept" },
    });
    const cleaned = cleanWebRequest(preflight, { kind: "preflight" });
    expect([...cleaned.headers.keys()]).toEqual(["x-other"]);
  });

  it("copies a request whose headers are fixed, with its body", async () => {
    const request = new Request("http://api.test/v1", {
      method: "POST",
      headers: { "x-api-key": "secret", "x-other": "kept" },
      body: "hello",
    });
    Object.defineProperty(request.headers, "delete", {
      value: () => {
        throw new TypeError("immutable");
      },
    });
    const removed = ["x-api-key"];
    const caller = {
      tenant: "ten_1",
      key: "key_1",
      plan: "free",
      environment: "live" as const,
      scopes: [],
      metadata: {},
      isVerified: true,
    };
    const cleaned = cleanWebRequest(request, { kind: "pass", caller, removed, headers: {} });
    expect(cleaned.headers.get("x-api-key")).toBeNull();
    expect(cleaned.headers.get("x-other")).toBe("kept");
    expect(await cleaned.text()).toBe("hello");
  });

  it("copies a request whose headers are fixed and whose body was read before", async () => {
    const request = new Request("http://api.test/v1", {
      method: "POST",
      headers: { "x-turnpike-tenant": "forged", "x-other": "kept" },
      body: "hello",
    });
    await request.text();
    Object.defineProperty(request.headers, "delete", {
      value: () => {
        throw new TypeError("immutable");
      },
    });
    const cleaned = cleanWebRequest(request, { kind: "preflight" });
    expect(cleaned.method).toBe("POST");
    expect([...cleaned.headers]).toContainEqual(["x-other", "kept"]);
    expect(cleaned.headers.has("x-turnpike-tenant")).toBe(false);
  });

  it.each([false, true])(
    "takes headers out of every list of a request of Node's, with all of them read before: %s",
    (isReadBefore) => {
      const request = new IncomingMessage(new Socket());
      const sent = ["X-Api-Key", "k", "X-Other", "x-api-key", "x-api-key", "l"];
      // What the parser of Node's server calls; no type has it.
      Reflect.get(request, "_addHeaderLines").call(request, sent, sent.length);
      if (isReadBefore) {
        expect([request.headers, request.headersDistinct]).toHaveLength(2);
      }
      removeHeaders(request, (name) => name === "x-api-key");
      expect(request.headers).toEqual({ "x-other": "x-api-key" });
      expect({ ...request.headersDistinct }).toEqual({ "x-other": ["x-api-key"] });
      expect(request.rawHeaders).toEqual(["X-Other", "x-api-key"]);
    },
  );

  it("asks once in a wrapped handler that is wrapped again, though the request goes on as a copy", async () => {
    for (const isFixed of [false, true]) {
      const { turnpike, asked } = makeFakeTurnpike();
      const inner = turnpikeNext(turnpike, (_, { turnpike: { tenant } }) => new Response(tenant), {
        cost: 3,
      });
      const request = new Request("http://api.test/v1", { headers: { "x-api-key": "secret" } });
      if (isFixed) {
        Object.defineProperty(request.headers, "delete", {
          value: () => {
            throw new TypeError("immutable");
          },
        });
      }
      const response = await turnpikeNext(turnpike, inner)(request, {});
      expect([response.status, await response.text()]).toEqual([200, "ten_1"]);
      expect(asked.map(({ cost }) => cost)).toEqual([undefined, 2]);
      expect(response.headers.get("ratelimit")).toContain("r=8;");
    }
  });

  it("says what is left on an answer, and leaves an upgrade alone that cannot be copied", async () => {
    const { turnpike } = makeFakeTurnpike();
    const call = (answer: Response) =>
      turnpikeNext(turnpike, () => answer)(
        new Request("http://api.test/v1", { headers: { "x-api-key": "secret" } }),
        {},
      );
    const fetched = await call(await fetch("data:,proxied"));
    expect(fetched.headers.get("ratelimit-policy")).toBe('"burst";q=10');
    expect(await fetched.text()).toBe("proxied");
    const upgrade = new Response(null);
    Object.defineProperty(upgrade, "status", { value: 101 });
    expect(await call(upgrade)).toBe(upgrade);
  });

  it("keeps a key from other clients and other requests, and out of the request", async () => {
    const { turnpike } = makeFakeTurnpike();
    const other = makeFakeTurnpike();
    const request = new Request("http://api.test/v1", { headers: { "x-api-key": "secret" } });
    const handler = () => new Response("in");
    expect((await turnpikeNext(turnpike, handler)(request, {})).status).toBe(200);
    expect((await turnpikeNext(other.turnpike, handler)(request, {})).status).toBe(401);
    expect((await turnpikeNext(turnpike, handler)(request.clone(), {})).status).toBe(401);
    expect(inspect(request, { depth: null, showHidden: true })).not.toContain("secret");
    expect(other.asked).toEqual([]);
  });

  it("passes an error of a policy on to the program, and lets no call in", async () => {
    const failing = () => {
      throw new RangeError("of the program");
    };
    const guarded = turnpikeNext(makeClient(), () => new Response("in"), { cost: failing });
    const request = new Request("http://api.test/v1", { headers: { "x-api-key": "k" } });
    await expect(guarded(request, {})).rejects.toBeInstanceOf(RangeError);
  });
});

it.each([
  [{ "x-api-key": "a" }, "a", ["x-api-key"]],
  [{ authorization: "Bearer b" }, "b", ["authorization"]],
  [{ authorization: "bearer   b" }, "b", ["authorization"]],
  [{ "x-api-key": "a", authorization: "Bearer other" }, "a", ["x-api-key"]],
  [{ "x-api-key": "a", authorization: "Bearer tp_live_x" }, "a", ["x-api-key", "authorization"]],
  [{ "x-api-key": "", authorization: "Bearer b" }, "b", ["authorization"]],
  [{ authorization: "Basic dTpw" }, undefined, undefined],
  [{ authorization: "Bearer " }, undefined, undefined],
])("finds the key of %j", (headers, text, headerNames) => {
  const found = findKey((name) => (headers as Record<string, string>)[name]);
  expect(found).toEqual(text === undefined ? undefined : { text, headerNames });
});

it("takes an underscore in a forged name for a dash", () => {
  expect(["X-Turnpike-Tenant", "x_turnpike_key", "X-Turnpike_Plan"].every(isForgedIdentity)).toBe(
    true,
  );
  expect(isForgedIdentity("x-turnpikes")).toBe(false);
});

it.each<[string, string, Record<string, string>, boolean]>([
  ["a browser's question", "OPTIONS", {}, true],
  ["one that says it has no body", "OPTIONS", { "content-length": "0" }, true],
  ["a body", "OPTIONS", { "content-length": "1" }, false],
  ["a body in chunks", "OPTIONS", { "transfer-encoding": "chunked" }, false],
  ["another method", "POST", {}, false],
])("passes for a preflight or not: %s", (_, method, more, expected) => {
  const asked = { origin: "https://app.test", "access-control-request-method": "POST" };
  const headers: Record<string, string> = { ...asked, ...more };
  expect(isPreflight({ method, header: (name) => headers[name] })).toBe(expected);
  for (const missing of Object.keys(asked)) {
    const header = (name: string) => (name === missing ? undefined : headers[name]);
    expect(isPreflight({ method, header })).toBe(false);
  }
});

it("asks for the key of a preflight with a body", async () => {
  const { body } = await callExpress(
    {
      origin: "https://app.test",
      "access-control-request-method": "POST",
      "content-length": "2",
    },
    {},
    "OPTIONS",
  );
  expect(JSON.parse(body ?? "{}")).toMatchObject({ code: "MISSING_KEY", status: 401 });
});
