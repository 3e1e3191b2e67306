import { chmod, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { UsageReport } from "@turnpike/contract/usage";
import { SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createTransact } from "../../../apps/server/src/platform/transact.ts";
import { pollUntil } from "./poll-until.ts";
import { databaseUrlOf, type ProductProcess, startProduct } from "./product-process.ts";
import { type Ended, startProgram } from "./program.ts";
import { makeTempFolder } from "./temp-folder.ts";
import { createTestDatabase } from "./test-database.ts";

export type Customer = { tenantId: TenantId; key: string };

export type TestKey = { keyId: string; key: string };

/** Calls that the ledger holds of a customer, and the units that it bills for them. */
export type LedgerCount = { calls: number; billed: number };

/** The real product in a process of its own, with customers whose ledger can be asked. */
export type MeteredProduct = {
  product: ProductProcess;
  peoplePort: number;
  gatewayPort: number;
  serviceKey: string;
  createCustomer(planId: string): Promise<Customer>;
  createKey(customer: Customer, input: { expiresAt?: string }): Promise<TestKey>;
  rollKey(customer: Customer, keyId: string, graceSeconds: number): Promise<TestKey>;
  /** Verifies a key; a cost of 0 takes nothing. */
  verify(key: string, cost?: number): Promise<Response>;
  /** Sends a call through the gateway. */
  call(key: string, path: string): Promise<Response>;
  /** What the ledger holds now. */
  count(customer: Customer): Promise<LedgerCount>;
  /** The same once it holds at least so much. */
  countOnce(customer: Customer, least: Partial<LedgerCount>): Promise<LedgerCount>;
  /** Units that the ledger bills for each key, by its id. */
  listBilled(customer: Customer): Promise<Map<string, number>>;
  /** The customer's balances, by billing period. */
  listPeriods(customer: Customer): Promise<{ startsAt: Date; used: number }[]>;
  /** What `turnpike reconcile` finds. */
  reconcile(): Promise<{ drift: number; calls: number }>;
  /** Open TCP connections of the process, of both directions. */
  countConnections(): Promise<number>;
  residentBytes(): Promise<number>;
  /** Of the embedded database that runs now. */
  readDatabasePid(): Promise<number>;
  /** Stops it in order and removes everything; answers how it ended. */
  close(): Promise<Ended>;
};

/** What the product writes down when it has answered with a fault of its own: 500. */
export const FAULT_IN_LOG = /A request failed|could not be (?:decided|authorised|recorded)/;

const CATALOG = `catalog:
  meters: [{ meterId: requests, name: Requests, unit: request, aggregation: count }]
  defaultPlanId: open
  plans:
    - { planId: open, name: Open }
    - { planId: capped, name: Capped, quotas: [{ meter: requests, limit: 100000, kind: hard }] }
    - { planId: brisk, name: Brisk, rateLimits: [{ name: burst, limit: 1, windowSeconds: 1 }] }
    - { planId: slow, name: Slow, rateLimits: [{ name: burst, limit: 5, windowSeconds: 3600 }] }
`;

/**
 * Starts the product on a database of its own, with the plans `open`, `capped` (100,000 calls), `brisk` (1 a second) and
 * `slow` (5 an hour).
 *
 * @param input.config - The rest of turnpike.yaml, such as its upstreams.
 * @param input.isEmbedded - On an embedded database, which then can be killed, rather than on one of the test's server.
 * @param input.openFilesMax - How many files and connections the system lets it have.
 */
export async function startMeteredProduct(input: {
  config: string;
  env?: Record<string, string>;
  openFilesMax?: number;
  isEmbedded?: boolean;
}): Promise<MeteredProduct> {
  const folder = await makeTempFolder();
  // As root, the database runs as a user who must be able to pass.
  await chmod(folder.path, 0o711);
  const database = input.isEmbedded === true ? undefined : await createTestDatabase();
  const dataFolder = join(folder.path, "data");
  await writeFile(join(folder.path, "turnpike.yaml"), `${input.config}\n${CATALOG}`);
  const env = {
    ...(database === undefined ? {} : { DATABASE_URL: databaseUrlOf(database) }),
    TURNPIKE_DATA_DIR: dataFolder,
    TURNPIKE_LOG_LEVEL: "warn",
  };
  async function runTurnpike<Answer>(...args: string[]): Promise<Answer> {
    const script = "apps/server/src/cli/main.ts";
    const { stdout, stderr } = await startProgram({
      script,
      args: [...args, "--json"],
      cwd: folder.path,
      env,
    }).ended;
    if (stdout === "") {
      throw new Error(`turnpike ${args.join(" ")}: ${stderr}`);
    }
    return JSON.parse(stdout) as Answer;
  }

  const product = startProduct({
    cwd: folder.path,
    env: { ...env, ...input.env },
    openFilesMax: input.openFilesMax,
  });
  const urls = await product.ready.catch((error: unknown) => {
    product.kill("SIGTERM");
    throw error;
  });
  const { key: serviceKey } = await runTurnpike<{ key: string }>(
    ...["service-keys", "create", "--name", "Test", "--scope", ...SCOPES],
  );

  function send(path: string, body?: object): Promise<Response> {
    return fetch(urls.console + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${serviceKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async function sendJson<Reply>(path: string, body?: object): Promise<Reply> {
    const reply = await send(path, body);
    if (!reply.ok) {
      throw new Error(`${path}: ${String(reply.status)} ${await reply.text()}`);
    }
    return (await reply.json()) as Reply;
  }

  async function count({ tenantId }: Customer): Promise<LedgerCount> {
    const { totals } = await sendJson<UsageReport>(
      `/v1/tenants/${tenantId}/usage?measures=requests,billable`,
    );
    return { calls: Number(totals.requests ?? 0), billed: Number(totals.billable ?? 0) };
  }

  return {
    product,
    peoplePort: Number(new URL(urls.console).port),
    gatewayPort: Number(new URL(urls.gateway).port),
    serviceKey,
    count,
    async createCustomer(planId) {
      const { tenantId } = await sendJson<{ tenantId: TenantId }>("/v1/tenants", {
        name: "Customer",
        planId,
      });
      const { key } = await sendJson<{ key: string }>(`/v1/tenants/${tenantId}/keys`, {
        name: "key",
      });
      return { tenantId, key };
    },
    createKey: ({ tenantId }, { expiresAt }) =>
      sendJson(`/v1/tenants/${tenantId}/keys`, { name: "key", expiresAt }),
    rollKey: ({ tenantId }, keyId, graceSeconds) =>
      sendJson(`/v1/tenants/${tenantId}/keys/${keyId}/roll`, { graceSeconds }),
    async listPeriods({ tenantId }) {
      if (database === undefined) {
        throw new Error("An embedded database is not looked into.");
      }
      return await createTransact(database.sql).asOperator(
        async (tx) =>
          await tx<{ startsAt: Date; used: number }[]>`
            select period_start as "startsAt", used::float8 as used from balances
            where tenant_id = ${tenantId} order by period_start
          `,
      );
    },
    verify: (key, cost = 1) => send("/v1/keys/verify", { key, cost }),
    call: (key, path) => fetch(urls.gateway + path, { headers: { "x-api-key": key } }),
    countOnce: (customer, { calls = 0, billed = 0 }) =>
      pollUntil(`the ledger holds ${String(calls)} calls and bills ${String(billed)}`, async () => {
        const found = await count(customer);
        return found.calls >= calls && found.billed >= billed && found;
      }),
    async listBilled({ tenantId }) {
      const { rows, truncated } = await sendJson<UsageReport>(
        `/v1/tenants/${tenantId}/usage?measures=billable&dimensions=key`,
      );
      if (truncated) {
        throw new Error("One answer does not hold all keys.");
      }
      return new Map(
        rows.map(({ group, values }) => [group["key"] ?? "", Number(values.billable ?? 0)]),
      );
    },
    reconcile: () => runTurnpike("reconcile"),
    async readDatabasePid() {
      return Number.parseInt(
        await readFile(join(dataFolder, "postgres/postmaster.pid"), "utf8"),
        10,
      );
    },
    async countConnections() {
      const sockets = await listSockets(product.pid);
      const table = await Promise.all(
        ["tcp", "tcp6"].map((name) => readFile(`/proc/${String(product.pid)}/net/${name}`, "utf8")),
      );
      // State 01 is ESTABLISHED, 08 CLOSE_WAIT: what the process still holds.
      return table
        .flatMap((text) => text.split("\n").slice(1))
        .map((line) => line.trim().split(/\s+/))
        .filter(([, , , state, , , , , , inode]) => state !== "0A" && sockets.has(inode ?? ""))
        .length;
    },
    async residentBytes() {
      const status = await readFile(`/proc/${String(product.pid)}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    },
    async close() {
      product.kill("SIGTERM");
      const ended = await product.ended;
      await database?.close();
      await folder[Symbol.asyncDispose]();
      return ended;
    },
  };
}

/** Inodes of the sockets that a process has open. */
async function listSockets(pid: number): Promise<Set<string>> {
  const folder = `/proc/${String(pid)}/fd`;
  const links = await Promise.all(
    (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => "")),
  );
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}
