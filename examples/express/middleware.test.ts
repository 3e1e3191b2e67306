import type { AddressInfo } from "node:net";
import express, { type Express } from "express";
import { expect, it } from "vitest";
import { turnpikeExpress } from "../../packages/sdk/src/express.ts";
import { makeFakeTurnpike } from "../../packages/sdk/src/fake-turnpike.fixture.ts";

/** Sends calls to a program while `use` runs. */
async function serve(
  app: Express,
  use: (call: (headers?: Record<string, string>) => Promise<Response>) => Promise<void>,
): Promise<void> {
  const server = app.listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  try {
    await use((headers = {}) => fetch(`http://127.0.0.1:${String(port)}/v1/tiles`, { headers }));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it("leaves a handler each of Node's lists of headers, without the key and without forged identities", async () => {
  const { turnpike } = makeFakeTurnpike();
  const app = express();
  app.use(turnpikeExpress(turnpike));
  app.get("/v1/tiles", ({ headers, headersDistinct, rawHeaders }, response) => {
    response.json({ headers, headersDistinct, rawHeaders });
  });
  await serve(app, async (call) => {
    const sent = { "x-api-key": "secret", "x-turnpike-tenant": "forged", "x-other": "kept" };
    const response = await call(sent);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).not.toMatch(/secret|forged|x-api-key|x-turnpike/i);
    expect(JSON.parse(text)).toMatchObject({
      headers: { "x-other": "kept" },
      headersDistinct: { "x-other": ["kept"] },
      rawHeaders: expect.arrayContaining(["x-other", "kept"]),
    });
  });
});

it("asks of a call only what no guard before has asked: further units, and other scopes", async () => {
  const { turnpike, asked } = makeFakeTurnpike();
  const app = express();
  app.use("/v1", turnpikeExpress(turnpike));
  app.get(
    "/v1/tiles",
    turnpikeExpress(turnpike),
    turnpikeExpress(turnpike, { scopes: "maps:read" }),
    turnpikeExpress(turnpike, { cost: 5 }),
    turnpikeExpress(turnpike, { cost: 3, scopes: "maps:read" }),
    turnpikeExpress(turnpike, { meter: "tiles", cost: 2 }),
    (request, response) => void response.json(request.turnpike),
  );
  await serve(app, async (call) => {
    const response = await call({ "x-api-key": "secret" });
    expect([response.status, await response.json()]).toMatchObject([200, { tenant: "ten_1" }]);
    const common = { key: "secret", resource: "/v1/tiles", address: "127.0.0.1" };
    expect(asked).toEqual([
      common,
      { ...common, cost: 0, scopes: "maps:read" },
      { ...common, cost: 4 },
      { ...common, cost: 2, meter: "tiles" },
    ]);
    expect(response.headers.get("ratelimit")).toContain("r=6;");
  });
});

it("refuses a call by the second guard as by the first", async () => {
  const { turnpike } = makeFakeTurnpike();
  const app = express();
  app.use(turnpikeExpress(turnpike), turnpikeExpress(turnpike, { scopes: "maps:write" }));
  app.get("/v1/tiles", (_request, response) => void response.json({}));
  await serve(app, async (call) => {
    const denied = await call({ "x-api-key": "secret" });
    expect([denied.status, await denied.json()]).toMatchObject([
      403,
      { code: "INSUFFICIENT_SCOPE", missingScopes: ["maps:write"] },
    ]);
    expect((await call({ "x-api-key": "nobodys" })).status).toBe(401);
    expect((await call()).status).toBe(401);
  });
});

it("asks about the key of the first guard alone, also when the caller sent more", async () => {
  const { turnpike, asked } = makeFakeTurnpike();
  const app = express();
  app.use(turnpikeExpress(turnpike), turnpikeExpress(turnpike, { cost: 2 }));
  app.get("/v1/tiles", (request, response) => void response.json(request.headers.authorization));
  await serve(app, async (call) => {
    const response = await call({ "x-api-key": "secret", authorization: "Bearer of-the-program" });
    expect([response.status, await response.json()]).toEqual([200, "Bearer of-the-program"]);
    expect(asked.map(({ key }) => key)).toEqual(["secret", "secret"]);
  });
});

it.each([["secret"], ["nobodys"]])(
  "leaves an answer alone that the program gave before the verdict on %s",
  async (key) => {
    const { turnpike } = makeFakeTurnpike();
    const app = express();
    const errors: unknown[] = [];
    app.use((_request, response, next) => {
      next();
      response.status(504).end("too late");
    });
    app.use(turnpikeExpress(turnpike));
    app.use((_request, response, next) => {
      if (!response.headersSent) {
        next();
      }
    });
    app.use((error: unknown, _request: unknown, _response: unknown, _next: unknown) => {
      errors.push(error);
    });
    await serve(app, async (call) => {
      const response = await call({ "x-api-key": key });
      expect([response.status, await response.text()]).toEqual([504, "too late"]);
      await call({ "x-api-key": key });
      expect(errors).toEqual([]);
    });
  },
);
