import fastify from "fastify";
import { expect, it } from "vitest";
import { makeFakeTurnpike } from "../../packages/sdk/src/fake-turnpike.fixture.ts";
import { turnpikeFastify } from "../../packages/sdk/src/fastify.ts";

it("leaves a handler each of Node's lists of headers, without the key and without forged identities", async () => {
  const { turnpike } = makeFakeTurnpike();
  const app = fastify();
  await app.register(turnpikeFastify, { turnpike });
  app.get("/v1/tiles", ({ headers, raw }) => {
    const { headersDistinct, rawHeaders } = raw;
    return { headers, headersDistinct, rawHeaders };
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const response = await fetch(`${url}/v1/tiles`, {
    headers: { "x-api-key": "secret", "x-turnpike-tenant": "forged", "x-other": "kept" },
  });
  const text = await response.text();
  await app.close();
  expect(response.status).toBe(200);
  expect(text).not.toMatch(/secret|forged|x-api-key|x-turnpike/i);
  expect(JSON.parse(text)).toMatchObject({
    headers: { "x-other": "kept" },
    headersDistinct: { "x-other": ["kept"] },
  });
});

it("guards a place within a guarded one, and asks there only what is new", async () => {
  const { turnpike, asked } = makeFakeTurnpike();
  const app = fastify();
  await app.register(turnpikeFastify, { turnpike });
  await app.register((inner, _options, done) => {
    void inner.register(turnpikeFastify, { turnpike, scopes: "maps:read" });
    inner.get("/inner", (request) => request.turnpike);
    inner.get("/tiles", { config: { turnpike: { cost: 5 } } }, () => ({}));
    inner.get("/write", { config: { turnpike: { scopes: "maps:write" } } }, () => ({}));
    done();
  });
  app.get("/outer", () => ({}));
  const call = async (url: string) => {
    asked.length = 0;
    const { statusCode } = await app.inject({ url, headers: { "x-api-key": "secret" } });
    return [statusCode, ...asked.map(({ cost, scopes }) => ({ cost, scopes }))];
  };
  expect(await call("/outer")).toEqual([200, { cost: undefined, scopes: undefined }]);
  expect(await call("/inner")).toEqual([
    200,
    { cost: undefined, scopes: undefined },
    { cost: 0, scopes: "maps:read" },
  ]);
  expect(await call("/tiles")).toEqual([
    200,
    { cost: 5, scopes: undefined },
    { cost: 0, scopes: "maps:read" },
  ]);
  expect(await call("/write")).toEqual([403, { cost: undefined, scopes: "maps:write" }]);
  await app.close();
});
