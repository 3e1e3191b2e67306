import { randomBytes } from "node:crypto";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { isConnectionError } from "@turnpike/db/database-errors";
import { REQUESTS_METER, SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { type DecidingProcess, startDecidingProcess } from "@turnpike/testkit/deciding-process";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { applyCatalog } from "#modules/catalog/index.ts";
import { tenantPlans } from "#modules/entitlements/index.ts";
import { createKey } from "#modules/keys/index.ts";
import { createTenant } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { systemClock } from "#platform/clock.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { openDatabase } from "#platform/open-database.ts";
import type { ModelTenant } from "./limits-reference.fixture.ts";

export const OPERATOR = { actor: { type: "operator", id: "test" }, requestId: "req_test" } as const;
export const LIMITS = [25, 90, 400, 1_500] as const;
export const OPEN_PLAN = "open";
export const planOf = (limit: number) => `hard-${String(limit)}`;
const KEY_QUOTA = 60;
const PROCESSES = 3;

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Starts a database server of its own, which can be killed, and processes on it. */
export async function openFleet() {
  const folder = await makeTempFolder();
  // When root runs the tests, the database runs as another user, who must be able to enter.
  await chmod(folder.path, 0o711);
  const databaseFolder = join(folder.path, "database");
  await mkdir(databaseFolder);
  const server = await startEmbeddedPostgres({
    folder: databaseFolder,
    logger: quiet,
    // Only a power cut loses data without it.
    settings: { fsync: "off", full_page_writes: "off" },
  });
  const target = server.connection;
  const database = await openDatabase({ target, applicationName: "model", connectionsMax: 6 });
  const services: AppServices = {
    transact: database.transact,
    clock: systemClock,
    newId: newUuidId,
    logger: createLogger({ level: "silent" }),
    randomBytes: (count) => randomBytes(count),
  };
  const [sample] = SAMPLE_CATALOG.plans;
  if (sample === undefined) {
    throw new Error("The sample catalogue has no plan.");
  }
  const terms = { ...sample, rateLimits: [], quotas: [] };
  await applyCatalog(services, OPERATOR, {
    meters: SAMPLE_CATALOG.meters,
    defaultPlanId: OPEN_PLAN,
    plans: [
      { ...terms, planId: OPEN_PLAN },
      ...LIMITS.map((limit) => ({
        ...terms,
        planId: planOf(limit),
        quotas: [{ meter: REQUESTS_METER, limit, kind: "hard" as const }],
      })),
    ],
  });

  let folders = 0;
  const running: { process: DecidingProcess; folder: string }[] = [];
  const started = new Set<DecidingProcess>();

  async function start(folderPath: string): Promise<{ process: DecidingProcess; folder: string }> {
    const process = await startDecidingProcess({ target, folder: folderPath });
    started.add(process);
    return { process, folder: folderPath };
  }

  async function makeFolder(): Promise<string> {
    folders += 1;
    const folderPath = join(folder.path, `process-${String(folders)}`);
    await mkdir(folderPath);
    return folderPath;
  }

  const folderPaths = await Promise.all(Array.from({ length: PROCESSES }, makeFolder));
  running.push(...(await Promise.all(folderPaths.map(start))));

  async function makeKey(tenant: ModelTenant, quota: number | undefined): Promise<void> {
    const made = await createKey(services, OPERATOR, {
      tenantId: tenant.tenantId,
      name: "Model",
      environment: "live",
      scopes: [],
      metadata: {},
      ...(quota === undefined ? {} : { quotas: [{ meter: REQUESTS_METER, limit: quota }] }),
    });
    tenant.keys.push({ keyId: made.keyId, key: made.key, originKeyId: made.keyId, quota });
  }

  async function makeTenant(limit: number): Promise<ModelTenant> {
    const input = { name: "Model", planId: planOf(limit) };
    const { tenantId } = await createTenant({ ...services, plans: tenantPlans }, OPERATOR, input);
    const tenant: ModelTenant = { tenantId, limit, keys: [], isUncovered: false, hasLost: false };
    await makeKey(tenant, undefined);
    await makeKey(tenant, KEY_QUOTA);
    return tenant;
  }

  return {
    services,
    server,
    running,
    start,
    makeFolder,
    makeKey,
    makeTenant,
    /** Waits for transactions under way: one of a killed process may still be committed. */
    async waitForTransactions() {
      const [row] = await database.sql<{ now: string }[]>`select clock_timestamp()::text as now`;
      await pollUntil("transactions under way have ended", async () => {
        const rows = await database.sql`
          select from pg_stat_activity
          where datname = current_database() and application_name = 'deciding' and state <> 'idle'
            and xact_start <= ${row?.now ?? null}::text::timestamptz`;
        return rows.length === 0;
      });
    },
    /** Cuts the connections for wake-ups. */
    async cutListening() {
      const cut = async () => {
        await database.sql`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'turnpike-listen' and datname = current_database()`;
        return true;
      };
      // A connection of the pool may be to a server that was killed.
      await pollUntil("the connections are cut", () =>
        cut().catch((error: unknown) => {
          if (!isConnectionError(error)) {
            throw error;
          }
          return false;
        }),
      );
    },
    async close() {
      for (const process of started) {
        process.kill("SIGCONT");
        process.kill("SIGKILL");
        await process.ended;
      }
      await database.close();
      await server.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export type Fleet = Awaited<ReturnType<typeof openFleet>>;
