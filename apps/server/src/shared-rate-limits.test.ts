import type { IncomingMessage, ServerResponse } from "node:http";
import { verifyKeyResponse } from "@turnpike/contract/keys";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  startValkeyServer,
  VALKEY_MISSING,
  type ValkeyServer,
} from "@turnpike/testkit/valkey-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const NODES = 3;
/** Below the limit of the sample plan, which lets 10 calls through at once. */
const LIMIT = 8;
/** What refills while a test runs is no whole call. */
const WINDOW_SECONDS = 86_400;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Of the upstream, from all nodes together; one tenant may hold half. */
const PERMITS = 8;
/** Calls that an upstream holds until they are released. */
const held: ServerResponse[] = [];

function hold(req: IncomingMessage, res: ServerResponse): boolean {
  if (req.url === "/hold") {
    held.push(res);
  }
  return req.url === "/hold";
}

/** Starts nodes on one database that count in a store. */
async function startNodes(store: string, env: Readonly<Record<string, string>> = {}) {
  const configText = `rateLimits: { store: ${store}, timeoutMs: 5000 }\n`;
  const nodes: TestApp[] = [];
  for (let node = 0; node < NODES; node += 1) {
    nodes.push(
      await startTestApp(database, {
        ...{ configText, env, upstreamPermits: PERMITS },
        upstream: { onRequest: hold },
      }),
    );
  }
  return nodes;
}

const [STEADY, HOURLY] = ["steady", "hourly"];

const TWO_LIMITS = {
  rateLimits: [
    { name: STEADY, limit: LIMIT, windowSeconds: WINDOW_SECONDS },
    { name: HOURLY, limit: 1_000, windowSeconds: WINDOW_SECONDS },
  ],
};

/** A key with two limits of its own, and the service key that verifies it. */
async function mintLimitedKey(node: TestApp, limits: object = TWO_LIMITS) {
  const service = await node.mintServiceKey(SCOPES);
  const tenantId = await node.mintTenant("Flooded");
  const made = await node.call(service, "POST", `/v1/tenants/${tenantId}/keys`, {
    ...{ name: "Flooded", environment: "live", scopes: [] },
    ...limits,
  });
  expect(made.status).toBe(201);
  return { service, key: String(made.json.key) };
}

async function verify(node: TestApp, service: string, key: string, cost = 1) {
  const reply = await node.call(service, "POST", "/v1/keys/verify", { key, cost });
  return verifyKeyResponse.parse(reply.json);
}

async function floodNodes(nodes: readonly TestApp[], service: string, key: string) {
  const replies = await Promise.all(
    nodes.flatMap((node) => Array.from({ length: LIMIT }, () => verify(node, service, key))),
  );
  return { replies, passed: replies.filter(({ valid }) => valid).length };
}

const remainingOf = (reply: Awaited<ReturnType<typeof verify>>, name: string) =>
  reply.limits?.find((limit) => limit.name === name)?.remaining;

async function expectOneLimit(nodes: readonly TestApp[]): Promise<void> {
  const [first, second] = nodes;
  if (first === undefined || second === undefined) {
    throw new Error("There are several nodes.");
  }
  const { service, key } = await mintLimitedKey(first);
  await Promise.all(nodes.map((node) => node.hearChanges()));
  const { replies, passed } = await floodNodes(nodes, service, key);
  expect(passed).toBe(LIMIT);
  const refused = replies.find(({ valid }) => !valid);
  expect(refused).toMatchObject({ code: "RATE_LIMITED" });
  // Every node knows what is left, of the limit that refused and of the one that would have let more pass.
  const look = await verify(second, service, key, 0);
  expect(remainingOf(look, STEADY)).toBe(0);
  expect(remainingOf(look, HOURLY)).toBe(1_000 - LIMIT);
}

function callNode(node: TestApp | undefined, key: string, path = "/now"): Promise<Response> {
  return fetch(`${String(node?.gatewayUrl)}${path}`, { headers: { "x-api-key": key } });
}

/** Begins a call that stays under way. */
async function holdAt(
  node: TestApp | undefined,
  key: string,
): Promise<{ answer: Promise<Response> }> {
  const before = held.length;
  const answer = callNode(node, key, "/hold");
  await pollUntil("the call is with the upstream", () => held.length > before);
  return { answer };
}

async function release(calls: { answer: Promise<Response> }[]): Promise<void> {
  for (const res of held.splice(0)) {
    res.end("done");
  }
  for (const { answer } of calls) {
    await (await answer).text();
  }
}

async function expectOneCount(nodes: readonly TestApp[]): Promise<void> {
  const [first, second, third] = nodes;
  if (first === undefined) {
    throw new Error("There are several nodes.");
  }
  const { key } = await mintLimitedKey(first, { concurrency: 2 });
  const { key: greedy } = await mintLimitedKey(first, {});
  await Promise.all(nodes.map((node) => node.hearChanges()));
  const passes = (node: TestApp | undefined, of: string) =>
    pollUntil("a call passes", async () => {
      const reply = await callNode(node, of);
      await reply.text();
      return reply.status === 200;
    });
  const answers = [await holdAt(first, key), await holdAt(second, key)];
  const refused = await callNode(third, key);
  expect(refused.headers.get("ratelimit")).toBe('"key:concurrency";r=0');
  expect(await refused.json()).toMatchObject({
    code: "CONCURRENCY_LIMITED",
    limit: { scope: "key", limit: 2, remaining: 0 },
  });
  await release(answers.splice(0));
  await passes(third, key);
  // One tenant has half of the upstream, from all nodes together.
  for (let call = 0; call < PERMITS / 2; call += 1) {
    answers.push(await holdAt(nodes[call % NODES], greedy));
  }
  const overShare = await (await callNode(third, greedy)).json();
  expect(overShare).toMatchObject({ code: "CONCURRENCY_LIMITED" });
  expect(overShare).not.toHaveProperty("limit");
  await passes(second, key);
  await release(answers);
  await passes(first, greedy);
}

describe("nodes that share their rate limits let pass what one node would", () => {
  it("in PostgreSQL", async () => {
    const nodes = await startNodes("postgres");
    await expectOneLimit(nodes);
    await expectOneCount(nodes);
    await Promise.all(nodes.map((node) => node.close()));
  });

  it.skipIf(VALKEY_MISSING !== undefined)(
    "in Valkey, and go on with their shares once it is gone, as the health says",
    async () => {
      const valkey: ValkeyServer = await startValkeyServer();
      const nodes = await startNodes("valkey", { TURNPIKE_VALKEY_URL: valkey.url });
      await expectOneLimit(nodes);
      await expectOneCount(nodes);
      const [node] = nodes;
      const partOf = async () =>
        (await node?.call(undefined, "GET", "/health/ready"))?.json.parts.rateLimits;
      await pollUntil("all nodes are known", async () =>
        (await partOf())?.detail?.startsWith(String(NODES)),
      );
      await valkey.kill();
      const degraded = await pollUntil("the health says so", async () => {
        const part = await partOf();
        return part?.status === "degraded" ? part : undefined;
      });
      expect(degraded.detail).toContain("share of every limit");
      if (node !== undefined) {
        const { service, key } = await mintLimitedKey(node);
        await Promise.all(nodes.map((one) => one.hearChanges()));
        const { passed } = await floodNodes(nodes, service, key);
        expect(passed).toBeLessThanOrEqual(LIMIT);
      }
      await valkey.start();
      await pollUntil("the store is used again", async () => (await partOf())?.status === "ok");
      await Promise.all(nodes.map((one) => one.close()));
      await valkey.kill();
    },
  );
});
