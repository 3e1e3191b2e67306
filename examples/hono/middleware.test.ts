import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";
import { expect, it } from "vitest";
import { makeFakeTurnpike } from "../../packages/sdk/src/fake-turnpike.fixture.ts";
import { type TurnpikeEnv, turnpikeHono } from "../../packages/sdk/src/hono.ts";

const WITH_KEY = { headers: { "x-api-key": "secret" } };

const ONE_FOR_ALL = new Response(null, { status: 204 });

it.each<[string, (context: Context) => Response | Promise<Response>, number]>([
  ["of its own", () => new Response("raw"), 200],
  ["of a fetch", () => fetch("data:,proxied"), 200],
  ["of the context", (context) => context.json({}), 200],
  ["that is one for all callers", () => ONE_FOR_ALL, 204],
  [
    "when it throws instead",
    () => {
      throw new Error("of the handler");
    },
    500,
  ],
  [
    "that it throws",
    () => {
      throw new HTTPException(418, { res: new Response("no", { status: 418 }) });
    },
    418,
  ],
])("says what is left on an answer %s", async (_name, handler, status) => {
  for (const middleware of [[], [cors({ origin: "https://app.test" })]]) {
    const { turnpike } = makeFakeTurnpike();
    const app = new Hono<TurnpikeEnv>();
    app.onError((error, context) =>
      error instanceof HTTPException ? error.getResponse() : context.text("failed", 500),
    );
    app.use(...middleware, turnpikeHono(turnpike));
    app.get("/", handler);
    for (const remaining of [9, 8]) {
      const response = await app.request("/", WITH_KEY);
      expect(response.status).toBe(status);
      expect(response.headers.get("ratelimit-policy")).toBe('"burst";q=10');
      expect(response.headers.get("ratelimit")).toContain(`"burst";r=${String(remaining)};`);
    }
  }
});

it("leaves what a handler says of limits as it is, and an upgrade that cannot be copied", async () => {
  const { turnpike } = makeFakeTurnpike();
  const app = new Hono<TurnpikeEnv>();
  const upgrade = new Response(null);
  Object.defineProperty(upgrade, "status", { value: 101 });
  app.use(turnpikeHono(turnpike));
  app.get("/own", () => new Response("x", { headers: { ratelimit: '"own";r=1;t=1' } }));
  app.get("/upgrade", () => upgrade);
  expect((await app.request("/own", WITH_KEY)).headers.get("ratelimit")).toBe('"own";r=1;t=1');
  expect(await app.request("/upgrade", WITH_KEY)).toBe(upgrade);
});

it("asks of a call only what no guard before has asked, and says what is left after the last", async () => {
  const { turnpike, asked } = makeFakeTurnpike();
  const app = new Hono<TurnpikeEnv>();
  app.use(turnpikeHono<Context>(turnpike, { address: () => "192.0.2.1" }));
  app.get("/", turnpikeHono(turnpike, { cost: 5 }), turnpikeHono(turnpike), (context) => {
    return new Response(context.get("turnpike").tenant);
  });
  app.get("/write", turnpikeHono(turnpike, { scopes: "maps:write" }), () => new Response("in"));
  const response = await app.request("/", WITH_KEY);
  expect([response.status, await response.text()]).toEqual([200, "ten_1"]);
  const common = { key: "secret", resource: "/", address: "192.0.2.1" };
  expect(asked).toEqual([common, { ...common, cost: 4 }]);
  expect(response.headers.get("ratelimit")).toContain("r=8;");
  expect((await app.request("/write", WITH_KEY)).status).toBe(403);
});
