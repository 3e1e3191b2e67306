import { startRecordingUpstream } from "@turnpike/testkit/recording-upstream";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.close();
});

/** Sends a call with a live and with a test key. */
async function callWithBoth(app: TestApp) {
  const serviceKey = await app.mintServiceKey(["keys:write", "usage:read"]);
  const keys = `/v1/tenants/${await app.mintTenant("Acme")}/keys`;
  const call = async (environment: string) => {
    const body = { name: "Key", environment };
    const { json } = await app.call(serviceKey, "POST", keys, body);
    const reply = await fetch(`${app.gatewayUrl}/things?a=1`, {
      headers: { "x-api-key": json.key },
    });
    return { status: reply.status, text: await reply.text() };
  };
  return { live: await call("live"), test: await call("test") };
}

async function start(testUpstreamUrl: string | undefined): Promise<TestApp> {
  const app = await startTestApp(database, { testUpstreamUrl });
  onTestFinished(() => app.close());
  return app;
}

it("reach the upstream for tests, and live keys the live one", async () => {
  const upstream = await startRecordingUpstream({ answer: "tests" });
  onTestFinished(() => upstream.close());
  const app = await start(`${upstream.url}/sandbox`);
  const { live, test } = await callWithBoth(app);
  expect([live.text, test.text]).toEqual(["ok", "tests"]);
  expect(app.upstream.requests.map(({ target }) => target)).toEqual(["/things?a=1"]);
  const [request] = upstream.requests;
  expect(upstream.requests).toHaveLength(1);
  expect(request?.target).toBe("/sandbox/things?a=1");
  expect(request?.header("x-turnpike-environment")).toBe("test");
});

it("reach the live upstream only where its operator says so", async () => {
  const app = await start("same");
  const { test } = await callWithBoth(app);
  expect(test.text).toBe("ok");
  expect(app.upstream.requests).toHaveLength(2);
});

it("are refused where nothing is said, and take nothing", async () => {
  const app = await start(undefined);
  const { live, test } = await callWithBoth(app);
  expect([live.status, test.status]).toEqual([200, 403]);
  expect(JSON.parse(test.text)).toMatchObject({ code: "NO_TEST_UPSTREAM" });
  expect(app.upstream.requests).toHaveLength(1);
  expect(test.text).not.toContain("limit");
});
