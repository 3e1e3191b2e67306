import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { BroadcastChannel } from "node:worker_threads";
import { SCOPES } from "@turnpike/domain/access/scopes";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { type KeyId, type TenantId, toId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { Agent } from "undici";
import { applyCatalog } from "#modules/catalog/index.ts";
import { tenantPlans } from "#modules/entitlements/index.ts";
import { createKey, createServiceKey, memberKeys, revokeKey } from "#modules/keys/index.ts";
import { reconcile } from "#modules/metering/index.ts";
import { createTenant } from "#modules/tenants/index.ts";
import { openJobQueue } from "#platform/job-queue.ts";
import { probePort } from "#platform/listen.ts";
import { readConfig } from "./config.ts";
import { CRASH_CHANNEL, type CrashOrder } from "./crash-worker.fixture.ts";
import type { Installation } from "./deps.ts";
import { startWorkers } from "./start-workers.ts";

export const QUOTA = 1_000;
export const RATE = 300;
/** Calls at once under the plan `few`. */
export const AT_ONCE = 7;
/** The upstream begins to answer it, and goes on until it is released. */
const HELD_PATH = "/held";
const WORKERS = 3;
/** Many more than one worker: the system spreads them by chance. */
const CONNECTIONS = 48;

/** A connection that stays with the worker that accepted it. */
export type Line = {
  worker: number;
  post(path: string, body: object, headers?: object): Promise<Reply>;
};
type Reply = { status: number; json: Record<string, unknown>; text: string };
export type Customer = { tenantId: TenantId; keyId: KeyId; key: string };

/** Several workers on a database of their own, in this process, where any of them can be made to crash. */
export async function startFleet() {
  const folder = await makeTempFolder();
  const database = await createTestDatabase();
  const held: ServerResponse[] = [];
  const upstream = createServer((req, res) => {
    if (req.url === HELD_PATH) {
      held.push(res);
      res.writeHead(200).write("held");
    } else {
      res.end("ok");
    }
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const config = readConfig(
    {
      TURNPIKE_DATA_DIR: join(folder.path, "data"),
      TURNPIKE_LOG_LEVEL: "info",
      DATABASE_URL: "postgres://unused",
    },
    { isRoot: false, workingFolder: folder.path },
  );
  const services = createLiveServices(database);
  const [sample] = SAMPLE_CATALOG.plans;
  if (sample === undefined) {
    throw new Error("The sample catalogue has no plan.");
  }
  const { concurrency: _, ...unlimited } = sample;
  const plan = { ...unlimited, rateLimits: [], quotas: [] };
  await applyCatalog(services, OPERATOR_CONTEXT, {
    meters: SAMPLE_CATALOG.meters,
    defaultPlanId: "open",
    plans: [
      { ...plan, planId: "open" },
      {
        ...plan,
        planId: "capped",
        quotas: [{ meter: "requests", limit: QUOTA, kind: "hard" }],
      },
      {
        ...plan,
        planId: "slow",
        rateLimits: [{ name: "day", limit: RATE, windowSeconds: 86_400 }],
      },
      { ...plan, planId: "few", concurrency: AT_ONCE },
    ],
  });
  const installation: Installation = {
    config: { ...config, metering: { ...config.metering, durability: "strict" } },
    logger: services.logger,
    database: {
      target: database.target,
      sql: database.sql,
      transact: services.transact,
      endStart: () => undefined,
      close: () => Promise.resolve(),
    },
    services,
    plans: tenantPlans,
    memberKeys,
    directory: undefined,
    isDatabaseUp: null,
    close: () => Promise.resolve(),
  };
  const queue = await openJobQueue({ target: database.target, logger: services.logger });
  const host = "127.0.0.1";
  const ports = {
    people: await probePort({ port: 0, host, variable: "PORT" }),
    programs: await probePort({ port: 0, host, variable: "GATEWAY_PORT" }),
  };
  const urls = {
    console: `http://${host}:${String(ports.people)}`,
    gateway: `http://${host}:${String(ports.programs)}`,
  };
  const lines: string[] = [];
  const running = await startWorkers({
    installation,
    ports,
    urls,
    version: "0.0.0-test",
    jobs: {
      queue,
      health: () => ({ isAlive: true, lastHeartbeatAgeMs: 0, failedCount: 0, restarts: 0 }),
    },
    upstreams: [
      {
        name: "plain",
        url: `http://${host}:${String((upstream.address() as AddressInfo).port)}`,
        timeouts: { connectMs: 1_000, headersMs: 5_000, idleMs: 5_000 },
        maxRequestBytes: 1024 * 1024,
        preserveHost: false,
      },
    ],
    workers: WORKERS,
    writeLog: (line) => lines.push(line),
    entry: new URL("./serve-worker.fixture.ts", import.meta.url),
    heapMegabytesMax: 160,
  });
  const serviceKey = await createServiceKey(services, OPERATOR_CONTEXT, {
    name: "Test",
    scopes: [...SCOPES],
  });
  const crashes = new BroadcastChannel(CRASH_CHANNEL);
  const agents: Agent[] = [];

  function openAgent(connections: number): Agent {
    const agent = new Agent({ connections, pipelining: 1 });
    agents.push(agent);
    return agent;
  }

  async function post(
    agent: Agent,
    path: string,
    body: object,
    headers: object = {},
  ): Promise<Reply> {
    const { statusCode, body: answer } = await agent.request({
      origin: urls.console,
      path,
      method: "POST",
      headers: {
        authorization: `Bearer ${serviceKey.key}`,
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: statusCode, json: JSON.parse(text) as Record<string, unknown>, text };
  }

  async function openLine(): Promise<Line> {
    const agent = openAgent(1);
    const { body } = await agent.request({
      origin: urls.console,
      path: "/health/ready",
      method: "GET",
    });
    const { parts } = (await body.json()) as { parts: { workers: { detail: string } } };
    return {
      worker: Number(/worker (\d+) of/.exec(parts.workers.detail)?.[1]),
      post: (path, input, headers) => post(agent, path, input, headers),
    };
  }

  const many = openAgent(CONNECTIONS);
  const manyToGateway = openAgent(CONNECTIONS);

  return {
    workers: WORKERS,
    fleet: running.fleet,
    log: lines,
    services,
    dataFolder: config.dataFolder,
    installation,

    async createCustomer(planId: string): Promise<Customer> {
      const deps = { ...services, plans: installation.plans };
      const { tenantId } = await createTenant(deps, OPERATOR_CONTEXT, { name: planId, planId });
      const made = await createKey(services, OPERATOR_CONTEXT, {
        tenantId,
        name: "Test",
        environment: "live",
        scopes: [],
        metadata: {},
      });
      return { tenantId, keyId: toId("key", made.keyId.slice(4)), key: made.key };
    },

    async revoke({ tenantId, keyId }: Customer): Promise<void> {
      await revokeKey(services, OPERATOR_CONTEXT, { tenantId, keyId });
    },

    /** One connection to each of the workers. */
    async openLines(): Promise<Line[]> {
      const found = new Map<number, Line>();
      await pollUntil("a connection to each worker", async () => {
        const line = await openLine();
        found.set(line.worker, found.get(line.worker) ?? line);
        return found.size === WORKERS;
      });
      return [...found.values()].sort((a, b) => a.worker - b.worker);
    },

    /** Verifies a key so many times over all connections. @returns How often each code came. */
    async verifyMany(key: string, count: number): Promise<Map<string, number>> {
      const codes = new Map<string, number>();
      await Promise.all(
        Array.from({ length: count }, async () => {
          const reply = await post(many, "/v1/keys/verify", { key }).catch(() => undefined);
          const code = reply === undefined ? "NO_ANSWER" : String(reply.json["code"]);
          codes.set(code, (codes.get(code) ?? 0) + 1);
        }),
      );
      return codes;
    },

    /** Sends calls through the gateway over all connections. @returns How often each status came; 0 for none. */
    async callMany(key: string, count: number): Promise<Map<number, number>> {
      const statuses = new Map<number, number>();
      await Promise.all(
        Array.from({ length: count }, async () => {
          const status = await manyToGateway
            .request({
              origin: urls.gateway,
              path: "/x",
              method: "GET",
              headers: { "x-api-key": key },
            })
            .then(async ({ statusCode, body }) => {
              await body.dump();
              return statusCode;
            })
            .catch(() => 0);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }),
      );
      return statuses;
    },

    /** Begins calls at once over as many connections. @returns Their statuses, and how many of those held are not over. */
    async holdMany(key: string, count: number) {
      const agent = openAgent(count);
      const open = new Set<unknown>();
      const request = { origin: urls.gateway, path: HELD_PATH, method: "GET" } as const;
      const statuses = await Promise.all(
        Array.from({ length: count }, async () => {
          const answer = await agent.request({ ...request, headers: { "x-api-key": key } });
          if (answer.statusCode === 200) {
            open.add(answer);
            answer.body
              .on("error", () => undefined)
              .on("close", () => open.delete(answer))
              .resume();
          } else {
            await answer.body.dump();
          }
          return answer.statusCode;
        }),
      );
      const release = () => {
        for (const res of held.splice(0)) {
          res.end();
        }
      };
      return { statuses, countOpen: () => open.size, release };
    },

    /** Calls of a customer that the ledger holds as let through. */
    async countLedger({ tenantId }: Customer): Promise<number> {
      const [row] = await database.sql<{ calls: number }[]>`
        select coalesce(sum(calls), 0)::int as calls from ledger_entries
        where tenant_id = ${tenantId} and outcome = 'VALID'`;
      return row?.calls ?? 0;
    },

    async listLeases({ tenantId }: Customer): Promise<unknown[]> {
      return [...(await database.sql`select 1 from leases where tenant_id = ${tenantId}`)];
    },

    async findDrift(): Promise<number> {
      return (await reconcile(services, OPERATOR_CONTEXT)).drift;
    },

    crash(order: CrashOrder): void {
      crashes.postMessage(order);
    },

    stop: running.stop,

    async close(): Promise<void> {
      await running.stop();
      crashes.close();
      await Promise.all(agents.map((agent) => agent.destroy()));
      upstream.closeAllConnections();
      upstream.close();
      await queue.close();
      await database.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>;
