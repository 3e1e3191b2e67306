import { setTimeout as delay } from "node:timers/promises";
import { isConnectionError } from "@turnpike/db/database-errors";
import {
  locatePostgres,
  type PostgresInstallation,
  removeOtherCopies,
} from "./postgres-binaries.ts";
import { clusterPaths, PRODUCT_DATABASE, PRODUCT_USER, readPassword } from "./postgres-cluster.ts";
import { boundLog, readLastLines } from "./postgres-log.ts";
import {
  makePostgresPlan,
  type PostgresConnection,
  type PostgresPlan,
  type PostgresPlanOptions,
  removeShortSocketFolder,
} from "./postgres-plan.ts";
import {
  findServerCommand,
  type PostgresProcess,
  readPostmasterFile,
  stopPostgres,
} from "./postgres-process.ts";
import { ensureDatabase, obtainServer } from "./postgres-server.ts";
import { waitAtStart } from "./start-wait.ts";
import { StartupError } from "./startup-error.ts";
import { keepSessionsYielding } from "./yield-to-calls.ts";

/** The part of the product's logger that is needed here. */
export interface PostgresLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type EmbeddedPostgresOptions = PostgresPlanOptions & {
  logger: PostgresLogger;
  /** Another installation than the one that came with the product. */
  installation?: PostgresInstallation;
  /** Hears when the server has gone unexpectedly (`down`) and when it is back (`up`). */
  onStateChange?: (state: "down" | "up") => void;
};

/** A running, supervised server: one that ends unexpectedly is started again, at the same address. */
export interface EmbeddedPostgres {
  readonly connection: PostgresConnection;
  readonly majorVersion: number;
  /** Of the server that runs now; changes when it had to be started again. */
  readonly pid: number;
  /** True when the server was running already, left behind by a process that was killed. */
  readonly adopted: boolean;
  /** False from an unexpected end until the next start has succeeded, and after `stop`. */
  isUp(): boolean;
  /** Shuts down cleanly, by force after the limit. Idempotent. */
  stop(): Promise<void>;
}

const RESTART_DELAY_FIRST_MS = 100;
const RESTART_DELAY_MAX_MS = 10_000;
const LOG_LINES_QUOTED = 10;

/**
 * Starts the database in the data folder, or adopts the one that a killed process left running there.
 *
 * It listens on a Unix socket in a folder that only its user (and root) can enter, never on TCP, and asks for a generated
 * password. As root it runs as another user, from a copy of the programs when that user cannot enter the checkout.
 *
 * @throws {StartupError} With the last lines of the server's log where the server itself refused.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const installation = options.installation ?? (await locatePostgres());
  const plan = await makePostgresPlan(options, installation);
  const server = await obtainUsableServer(plan, options.logger);
  await removeOtherCopies(clusterPaths(options.folder).binaries, installation.version);
  return supervise({ first: server, plan, options });
}

/** A server that was killed a moment ago may still look alive when it is adopted; the next look sees that it is not. */
async function obtainUsableServer(
  plan: PostgresPlan,
  logger: PostgresLogger,
): Promise<PostgresProcess> {
  for (let isLast = false; ; isLast = true) {
    const server = await obtainServer(plan);
    try {
      await waitAtStart(
        {
          what: `The database in ${plan.cluster}`,
          hint: `Its log is ${plan.logPath}`,
          logger,
        },
        () => ensureDatabase(plan),
      );
      return server;
    } catch (error) {
      await stopPostgres(server, plan.stopTimeoutMs);
      if (isLast || !(error instanceof StartupError && isConnectionError(error.cause))) {
        throw error;
      }
    }
  }
}

/**
 * Finds the server that another process runs in the data folder, for the command line.
 *
 * @returns Undefined when none is ready there.
 * @throws {StartupError} `DATABASE_PASSWORD_UNUSABLE` when this user may not read the password.
 */
export async function attachEmbeddedPostgres(input: {
  folder: string;
}): Promise<PostgresConnection | undefined> {
  const { cluster } = clusterPaths(input.folder);
  const file = await readPostmasterFile(cluster);
  if (file?.status !== "ready" || (await findServerCommand(file.pid, cluster)) === undefined) {
    return undefined;
  }
  return {
    host: file.socketFolder,
    port: file.port,
    user: PRODUCT_USER,
    password: await readPassword(input.folder),
    database: PRODUCT_DATABASE,
  };
}

function supervise(input: {
  first: PostgresProcess;
  plan: PostgresPlan;
  options: EmbeddedPostgresOptions;
}): EmbeddedPostgres {
  const { first, plan } = input;
  const { logger, onStateChange } = input.options;
  const stopping = new AbortController();
  let server = first;
  let isUp = true;
  let stopped: Promise<void> | undefined;

  const unboundLog = boundLog(plan.logPath, (error) => {
    logger.warn({ err: error }, "the log of the database cannot be trimmed");
  });
  const endYielding = keepSessionsYielding(() => server.pid);

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const reason = await server.exited;
      isUp = false;
      if (stopping.signal.aborted) {
        return;
      }
      const lines = await readLastLines(plan.logPath, 0, LOG_LINES_QUOTED);
      logger.error({ pid: server.pid, reason, lines }, "the database ended unexpectedly");
      onStateChange?.("down");
      const next = await restart();
      if (next === undefined) {
        return;
      }
      if (stopping.signal.aborted) {
        await stopPostgres(next, plan.stopTimeoutMs);
        return;
      }
      server = next;
      isUp = true;
      logger.info({ pid: server.pid }, "the database is back");
      onStateChange?.("up");
    }
  }

  /** Tries until it succeeds or `stop` is called; undefined for the latter. */
  async function restart(): Promise<PostgresProcess | undefined> {
    for (
      let waitMs = RESTART_DELAY_FIRST_MS;
      ;
      waitMs = Math.min(waitMs * 2, RESTART_DELAY_MAX_MS)
    ) {
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) {
        return undefined;
      }
      try {
        return await obtainServer(plan);
      } catch (error) {
        logger.error({ err: error, nextAttemptMs: waitMs * 2 }, "the database does not start");
      }
    }
  }

  const watching = watch();

  async function end(): Promise<void> {
    stopping.abort();
    unboundLog();
    endYielding();
    if (isUp) {
      const signal = await stopPostgres(server, plan.stopTimeoutMs);
      if (signal !== "SIGINT") {
        logger.warn({ signal }, "the database did not stop in time and recovers at the next start");
      }
    }
    await watching;
    await removeShortSocketFolder(plan);
  }

  return {
    connection: { ...plan.connection, user: PRODUCT_USER },
    majorVersion: plan.majorVersion,
    adopted: first.adopted,
    get pid() {
      return server.pid;
    },
    isUp: () => isUp,
    stop() {
      stopped ??= end();
      return stopped;
    },
  };
}
