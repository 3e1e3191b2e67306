import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { createUpstreamRouter } from "#modules/gateway/index.ts";
import { startMetering } from "#modules/metering/index.ts";
import { probePort } from "#platform/listen.ts";
import { StartupError } from "#platform/startup-error.ts";
import { startWorkerFleet, type WorkerFleet } from "#platform/worker-fleet.ts";
import type { Installation } from "./deps.ts";
import { readIdentitySecret } from "./open-sso.ts";
import { readSigningSecret } from "./read-signing-secret.ts";
import { SERVING_STOP_MS, type ServeInput, type Serving } from "./serve.ts";
import type { ServeNews, ServeWorkerData } from "./serve-worker.ts";
import type { ServingHealth } from "./serving-health.ts";
import { createSharedMemory, forgetWorker } from "./shared-limits.ts";

/** For a worker that does not hear at all. */
const STOP_GRACE_MS = 2_000;
/** Connections that all workers together have for their queries, unless each would get too few. */
const CONNECTIONS_TOTAL = 40;
const CONNECTIONS_MIN = 4;
const CONNECTIONS_MAX = 20;
const ADOPT_MS = 5_000;
const WORKERS_FOLDER = "workers";

/**
 * Makes sure that several threads can listen on one port, before anything slow is started.
 *
 * @throws {StartupError} `PLATFORM_UNSUPPORTED`: Node cannot hand a connection from one thread to another, so one that accepts
 *   for the others is no way out.
 */
export async function assertPortsCanBeShared(host: string): Promise<void> {
  try {
    await probePort({ port: 0, host, variable: "PORT", reusePort: true });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ENOTSUP" && code !== "EINVAL" && code !== "ENOPROTOOPT") {
      throw error;
    }
    throw new StartupError({
      code: "PLATFORM_UNSUPPORTED",
      message: `On ${process.platform} several workers cannot listen on one port`,
      hint: "Set workers to 1, or run Turnpike on Linux",
      cause: error,
    });
  }
}

/** The folder of a worker. The first one has that of an installation without workers, so that their number may change. */
function folderOf(dataFolder: string, worker: number): string {
  return worker === 1 ? dataFolder : join(dataFolder, WORKERS_FOLDER, String(worker));
}

/** The folders of workers beyond the first in a data folder. @param above - Only of those with a higher number. */
export async function listWorkerFolders(dataFolder: string, above = 1): Promise<string[]> {
  const names = await readdir(join(dataFolder, WORKERS_FOLDER)).catch(() => []);
  return names
    .filter((name) => /^\d{1,4}$/.test(name) && Number(name) > above)
    .map((name) => folderOf(dataFolder, Number(name)));
}

/**
 * Commits what workers left in their journals that will not be started again, because there are fewer now, and forfeits
 * their leases.
 */
export async function adoptFormerWorkers(
  { config, services, logger }: Installation,
  workers: number,
): Promise<void> {
  for (const folder of await listWorkerFolders(config.dataFolder, workers)) {
    const metering = await startMetering(
      { ...services, folder },
      { groupIntervalMs: config.metering.groupIntervalMs },
    );
    await metering.stop(ADOPT_MS);
    await removeIfEmpty(folder);
    logger.info(
      { worker: Number(basename(folder)) },
      "Took over from a worker that is not configured any more",
    );
  }
}

/** What was set aside or damaged stays for a person to look at. */
async function removeIfEmpty(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const isKept = files.some((file) => file.isFile() && file.name !== "process-id");
  if (!isKept) {
    await rm(folder, { recursive: true });
  }
}

/** Connections of each worker to the database, beside the three for changes and jobs. */
export function connectionsOf(workers: number): number {
  const share = Math.floor(CONNECTIONS_TOTAL / workers);
  return Math.min(CONNECTIONS_MAX, Math.max(CONNECTIONS_MIN, share));
}

/** @param input.entry - The module of the threads, and what they may take; for tests. */
export async function startWorkers(
  input: Omit<ServeInput, "folder" | "worker"> & {
    workers: number;
    writeLog(line: string): void;
    entry?: URL;
    heapMegabytesMax?: number;
  },
): Promise<Pick<Serving, "stop"> & { fleet: WorkerFleet<ServingHealth> }> {
  const { installation, workers, upstreams } = input;
  const { services, logger, database } = installation;
  const config = {
    ...installation.config,
    signingSecret: await readSigningSecret(installation.config),
    identitySecret: await readIdentitySecret(installation.config),
  };
  const memory = createSharedMemory({
    // Those for tests included.
    upstreams: createUpstreamRouter(upstreams).upstreams.length,
    workers,
  });
  const instanceName = `turnpike-${services.newId("process")}`;
  const dataOf = (worker: number): ServeWorkerData => ({
    worker,
    workers,
    config,
    memory,
    instanceName,
    upstreams,
    urls: input.urls,
    version: input.version,
    ports: input.ports,
    target: database.target,
    connectionsMax: connectionsOf(workers),
    folder: folderOf(config.dataFolder, worker),
  });
  const fleet = await startWorkerFleet<ServingHealth, ServeNews>({
    entry: input.entry ?? new URL("./serve-worker.ts", import.meta.url),
    data: Array.from({ length: workers }, (_, index) => dataOf(index + 1)),
    clock: services.clock,
    logger,
    writeLog: input.writeLog,
    news: (states) => ({
      jobs: input.jobs.health(),
      isDatabaseUp: installation.isDatabaseUp?.() ?? null,
      workers: states,
      shared: input.shared?.health() ?? {},
    }),
    onEnd: (worker) => forgetWorker(memory, worker),
    heapMegabytesMax: input.heapMegabytesMax,
  });
  return {
    fleet,
    stop: () => fleet.stop(SERVING_STOP_MS + config.listen.drainSeconds * 1_000 + STOP_GRACE_MS),
  };
}
