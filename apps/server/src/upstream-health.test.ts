import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let database: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

describe("GET /health/ready", () => {
  it("says that the upstream gives no answer, and keeps the process in traffic", async () => {
    const key = await app.mintKey(await app.mintTenant("Health"), []);
    const before = await app.call(undefined, "GET", "/health/ready");
    expect(before.json.parts.upstreams).toEqual({ status: "ok" });
    await app.upstream.close();
    for (let calls = 0; calls < 3; calls += 1) {
      const call = await fetch(`${app.gatewayUrl}/thing`, { headers: { "x-api-key": key } });
      expect(call.status).toBe(502);
    }
    const after = await app.call(undefined, "GET", "/health/ready");
    expect(after.status).toBe(200);
    expect(after.json).toMatchObject({
      status: "degraded",
      parts: {
        database: { status: "ok" },
        upstreams: {
          status: "degraded",
          detail: "No answer from recording: calls get 502 or 504 and are not billed.",
        },
      },
    });
  });
});
