import { writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { databaseUrlOf, SHARED_SECRETS, startProduct } from "@turnpike/testkit/product-process";
import { startProgram } from "@turnpike/testkit/program";
import { startRecordingUpstream } from "@turnpike/testkit/recording-upstream";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase } from "@turnpike/testkit/test-database";
import { expect, it, onTestFinished } from "vitest";

const CONCURRENCY = 2;

it("a node that is killed gives its calls at once to the others, and no one more than the limit before", async () => {
  const folder = await makeTempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const waiting: ServerResponse[] = [];
  const upstream = await startRecordingUpstream({
    onRequest: (req, res) => req.url === "/hold" && waiting.push(res) > 0,
  });
  onTestFinished(() => upstream.close());
  await writeFile(
    join(folder.path, "turnpike.yaml"),
    `upstreams: [{ name: held, url: "${upstream.url}" }]
rateLimits: { store: postgres, timeoutMs: 5000 }
catalog:
  meters: [{ meterId: requests, name: Requests, unit: request, aggregation: count }]
  defaultPlanId: few
  plans: [{ planId: few, name: Few, concurrency: ${String(CONCURRENCY)} }]
`,
  );
  const envOf = (name: string) => ({
    DATABASE_URL: databaseUrlOf(database),
    TURNPIKE_DATA_DIR: join(folder.path, name),
    TURNPIKE_LOG_LEVEL: "warn",
    ...SHARED_SECRETS,
  });
  const nodes = ["one", "two"].map((name) => startProduct({ cwd: folder.path, env: envOf(name) }));
  onTestFinished(async () => {
    for (const node of nodes) {
      node.kill("SIGKILL");
      await node.ended;
    }
  });
  const [killed, other] = await Promise.all(nodes.map((node) => node.ready));
  const { stdout } = await startProgram({
    script: "apps/server/src/cli/main.ts",
    args: [
      ...["service-keys", "create", "--name", "Test", "--json"],
      ...["--scope", "tenants:write", "--scope", "keys:write"],
    ],
    cwd: folder.path,
    env: envOf("one"),
  }).ended;
  const { key: serviceKey } = JSON.parse(stdout) as { key: string };
  const post = async (path: string, body: object) => {
    const reply = await fetch(String(other?.console) + path, {
      method: "POST",
      headers: { authorization: `Bearer ${serviceKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await reply.json()) as { tenantId: string; key: string };
  };
  const { tenantId } = await post("/v1/tenants", { name: "Few" });
  const { key } = await post(`/v1/tenants/${tenantId}/keys`, { name: "Few" });
  const call = (at: string | undefined, path: string) =>
    fetch(String(at) + path, { headers: { "x-api-key": key } });

  const held = Array.from({ length: CONCURRENCY }, () =>
    call(killed?.gateway, "/hold").catch(() => undefined),
  );
  await pollUntil("all are with the upstream", () => waiting.length === CONCURRENCY);
  const refused = await call(other?.gateway, "/");
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({
    code: "CONCURRENCY_LIMITED",
    limit: { scope: "tenant", limit: CONCURRENCY, remaining: 0 },
  });
  nodes[0]?.kill("SIGKILL");
  await Promise.all(held);
  await pollUntil("its places are free", async () => {
    const reply = await call(other?.gateway, "/");
    await reply.text();
    return reply.status === 200;
  });
});
