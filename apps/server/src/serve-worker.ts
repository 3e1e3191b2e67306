import { workerData } from "node:worker_threads";
import type { ConnectionTarget } from "@turnpike/db/client";
import type { ComponentHealth } from "#http/system.routes.ts";
import { openJobQueue } from "#platform/job-queue.ts";
import type { JobsHealth } from "#platform/job-supervisor.ts";
import type { WorkerState } from "#platform/worker-fleet.ts";
import { createWorkerLogger, runWorkerThread } from "#platform/worker-thread.ts";
import type { AppInput } from "./app-input.ts";
import type { Config } from "./config.ts";
import { joinInstallation } from "./deps.ts";
import { type ServeInput, serve } from "./serve.ts";
import type { ServingHealth } from "./serving-health.ts";
import { openSharedLimits, type SharedMemory } from "./shared-limits.ts";

/** What a worker needs to build its own dependencies. */
export type ServeWorkerData = Pick<
  ServeInput,
  "upstreams" | "urls" | "version" | "ports" | "folder"
> & {
  /** From 1. */
  worker: number;
  workers: number;
  /** With its secrets filled in: the main thread made them. */
  config: Config;
  target: ConnectionTarget;
  connectionsMax: number;
  memory: SharedMemory;
  instanceName: string;
};

/** What the main thread tells all workers of what they cannot see. */
export type ServeNews = {
  jobs: JobsHealth;
  isDatabaseUp: boolean | null;
  workers: WorkerState<ServingHealth>[];
  shared: Record<string, ComponentHealth>;
};

const JOBS_UNKNOWN: JobsHealth = {
  isAlive: false,
  lastHeartbeatAgeMs: null,
  failedCount: 0,
  restarts: 0,
};

async function startServing(data: ServeWorkerData): Promise<void> {
  const { config, worker } = data;
  const logger = createWorkerLogger(config.logLevel, worker);
  let news: ServeNews | undefined;

  async function start() {
    const queue = await openJobQueue({ target: data.target, logger, isPrepared: true });
    const installation = joinInstallation({
      config,
      logger,
      target: data.target,
      connectionsMax: data.connectionsMax,
      isDatabaseUp: config.databaseUrl === undefined ? () => news?.isDatabaseUp !== false : null,
    });
    const side: AppInput["worker"] = {
      worker,
      workers: data.workers,
      connectionsMax: data.connectionsMax,
      instanceName: data.instanceName,
      limits: openSharedLimits(data.memory, worker),
      states: () => news?.workers ?? [],
    };
    const serving = await serve({
      ...data,
      installation,
      worker: side,
      jobs: { queue, health: () => news?.jobs ?? JOBS_UNKNOWN },
      shared: { health: () => news?.shared ?? {} },
    });
    installation.database.endStart();
    return {
      health: serving.health,
      stop: async () => {
        await serving.stop();
        await queue.close();
        await installation.close();
      },
    };
  }

  await runWorkerThread<ServeNews, ServingHealth>({
    logger,
    start,
    hearNews: (latest) => {
      news = latest;
    },
  });
}

await startServing(workerData as ServeWorkerData);
