import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect, type Sql } from "@turnpike/db/client";
import { databaseErrorCode } from "@turnpike/db/database-errors";
import { START_TIMEOUT_MS } from "@turnpike/db/transaction-pool";
import { clusterPaths, PRODUCT_DATABASE, PRODUCT_USER } from "./postgres-cluster.ts";
import { logLength, readLastLines, trimLog } from "./postgres-log.ts";
import type { PostgresConnection, PostgresPlan } from "./postgres-plan.ts";
import {
  adoptPostgres,
  clearReusedPid,
  findServerCommand,
  isPidTaken,
  type PostgresProcess,
  readPostmasterFile,
  runsCurrentProgram,
  spawnPostgres,
  stopPostgres,
  waitUntilReady,
} from "./postgres-process.ts";
import { StartupError } from "./startup-error.ts";

const LOG_LINES_QUOTED = 10;
const STATEMENT_TIMEOUT_MS = 60_000;

/** The last sessions of a server that was killed notice it within moments, and must be gone before the next start. */
const LEFTOVERS_TIMEOUT_MS = 5_000;
const LEFTOVERS_INTERVAL_MS = 100;

/**
 * Gets the server of a plan ready for connections: the one that a killed process left behind, else a new one.
 *
 * @throws {StartupError} `DATABASE_START_FAILED` with the last lines of the log.
 */
export async function obtainServer(plan: PostgresPlan): Promise<PostgresProcess> {
  const wasKilled = (await readPostmasterFile(plan.cluster)) !== undefined;
  const deadlineMs = performance.now() + (wasKilled ? LEFTOVERS_TIMEOUT_MS : 0);
  for (;;) {
    const left = await takeOver(plan);
    if (left !== undefined) {
      return left;
    }
    try {
      return await launch(plan);
    } catch (error) {
      // A process that was killed just after it started a server leaves one that appears only now.
      const late = await takeOver(plan);
      if (late !== undefined) {
        return late;
      }
      if (performance.now() > deadlineMs) {
        throw error;
      }
      await delay(LEFTOVERS_INTERVAL_MS);
    }
  }
}

/** Adopts a server that runs exactly what we would start; stops one that does not. */
async function takeOver(plan: PostgresPlan): Promise<PostgresProcess | undefined> {
  const file = await readPostmasterFile(plan.cluster);
  if (file === undefined) {
    return undefined;
  }
  const command = await findServerCommand(file.pid, plan.cluster);
  if (command === undefined) {
    if (isPidTaken(file.pid)) {
      await clearReusedPid(plan.cluster, plan.user);
    }
    return undefined;
  }
  const server = adoptPostgres(file.pid, plan.cluster);
  const isSame = command === plan.command.join(" ") && (await runsCurrentProgram(file.pid));
  if (isSame && (await waitForServer(plan, server))) {
    return server;
  }
  await stopPostgres(server, plan.stopTimeoutMs);
  return undefined;
}

async function waitForServer(plan: PostgresPlan, server: PostgresProcess): Promise<boolean> {
  const deadlineMs = performance.now() + plan.readyTimeoutMs;
  return await waitUntilReady({ server, cluster: plan.cluster, deadlineMs });
}

async function launch(plan: PostgresPlan): Promise<PostgresProcess> {
  await removeSocket(plan);
  await trimLog(plan.logPath);
  const logStart = await logLength(plan.logPath);
  const server = await spawnPostgres({
    command: plan.command,
    user: plan.user,
    logPath: plan.logPath,
  });
  if (await waitForServer(plan, server)) {
    return server;
  }
  if (server.pid !== 0) {
    await stopPostgres(server, plan.stopTimeoutMs);
  }
  const lines = await readLastLines(plan.logPath, logStart, LOG_LINES_QUOTED);
  throw new StartupError({
    code: "DATABASE_START_FAILED",
    message: `The database in ${plan.cluster} did not start (${await server.exited})${lines.map((line) => `\n  ${line}`).join("")}`,
    hint: `The whole log is ${plan.logPath}`,
  });
}

/**
 * A killed server leaves its socket and a lock with its pid, which may be another process's by now. No one else can have
 * made them: the folder is private, and the data folder is ours.
 */
async function removeSocket(plan: PostgresPlan): Promise<void> {
  const socket = join(plan.connection.host, `.s.PGSQL.${plan.connection.port}`);
  await rm(socket, { force: true });
  await rm(`${socket}.lock`, { force: true });
}

function openPool(connection: PostgresConnection): Sql {
  return connect(connection, {
    connectionsMax: 1,
    applicationName: "turnpike-start",
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    connectTimeoutMs: START_TIMEOUT_MS,
  });
}

/**
 * Makes the product's user and database where they are missing. The user is no superuser, so that nothing the product is
 * tricked into can leave its database; it may make roles, which the migrations need.
 */
export async function ensureDatabase(plan: PostgresPlan): Promise<void> {
  const maintenance = openPool({ ...plan.connection, database: "postgres" });
  try {
    const [found] = await maintenance<{ has_user: boolean; has_database: boolean }[]>`
      select exists (select 1 from pg_roles where rolname = ${PRODUCT_USER}) as has_user,
        exists (select 1 from pg_database where datname = ${PRODUCT_DATABASE}) as has_database`;
    if (found?.has_user !== true) {
      const [statement] = await maintenance<{ text: string }[]>`
        select format('create role %I login createrole password %L', ${PRODUCT_USER}::text,
          ${plan.connection.password}::text) as text`;
      await maintenance.unsafe(statement?.text ?? "");
    }
    if (found?.has_database !== true) {
      await maintenance`create database ${maintenance(PRODUCT_DATABASE)} owner ${maintenance(PRODUCT_USER)}`;
    }
  } catch (error) {
    throw notReachable(plan, error);
  } finally {
    await maintenance.end();
  }
}

function notReachable(plan: PostgresPlan, cause: unknown): StartupError {
  if (databaseErrorCode(cause) === "28P01") {
    return new StartupError({
      code: "DATABASE_PASSWORD_UNUSABLE",
      message: `The database does not accept the password in ${clusterPaths(plan.folder).password}`,
      hint: "Restore that file from the backup that the database came from",
      cause,
    });
  }
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new StartupError({
    code: "DATABASE_START_FAILED",
    message: `The database in ${plan.cluster} runs but does not answer: ${detail}`,
    hint: `Its log is ${plan.logPath}`,
    cause,
  });
}
