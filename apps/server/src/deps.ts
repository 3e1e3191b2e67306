import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ConnectionTarget } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { createBilledPlans } from "#modules/billing/index.ts";
import type { CellDirectory } from "#modules/cells/index.ts";
import { memberKeys } from "#modules/keys/index.ts";
import type { MemberKeys, TenantPlans } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { systemClock } from "#platform/clock.ts";
import { type DataFolder, openDataFolder } from "#platform/data-folder.ts";
import { attachEmbeddedPostgres, startEmbeddedPostgres } from "#platform/embedded-postgres.ts";
import {
  allowJoining,
  type FolderLock,
  joinHolder,
  waitUntilAlone,
} from "#platform/folder-lock.ts";
import { createLogger, type Logger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { type Database, joinDatabase, openDatabase } from "#platform/open-database.ts";
import { isInstalled } from "#platform/postgres-cluster.ts";
import { START_COMMAND } from "#platform/published.ts";
import { StartupError } from "#platform/startup-error.ts";
import type { Config } from "./config.ts";
import { assertCatalogFits, seedConfigured, warnOfUnapplied } from "./configured-catalog.ts";
import { openDirectory } from "./open-directory.ts";
import { toBillingSettings } from "./to-billing-settings.ts";

/** What a process has open of the installation: its folder, its database, and the services built on them. */
export type Installation = {
  config: Config;
  logger: Logger;
  database: Database;
  services: AppServices;
  plans: TenantPlans;
  memberKeys: MemberKeys;
  /** Of all cells; undefined where this installation stands alone. */
  directory: CellDirectory | undefined;
  /** Null with a database of one's own; otherwise false while the embedded one is being started again. */
  isDatabaseUp: (() => boolean) | null;
  close(): Promise<void>;
};

/** What each worker may need beyond the connections that a process without workers has. */
const CONNECTIONS_A_WORKER = 8;
const CONNECTIONS_EMBEDDED = 60;
/** Calls, the change feed, metering and upkeep at once; PostgreSQL's default allows a hundred in all. */
const SERVER_CONNECTIONS_MAX = 20;
const COMMAND_CONNECTIONS_MAX = 4;

function createServices(
  database: Database,
  logger: Logger,
  directory: CellDirectory | undefined,
): AppServices {
  return {
    transact: database.transact,
    clock: systemClock,
    newId: newUuidId,
    logger,
    randomBytes: (count) => randomBytes(count),
    cellEntries: directory,
  };
}

/** Undoes what was opened, last first, even when one of the steps fails. */
function createClosing() {
  const steps: (() => Promise<unknown>)[] = [];
  return {
    add: (step: () => Promise<unknown>) => {
      steps.push(step);
    },
    close: async () => {
      for (const step of steps.splice(0).reverse()) {
        await step().catch(() => undefined);
      }
    },
  };
}

async function openOwnDatabase(
  config: Config,
  logger: Logger,
  closing: ReturnType<typeof createClosing>,
) {
  await assertCatalogFits(config);
  const server = await startEmbeddedPostgres({
    folder: config.dataFolder,
    logger,
    ...(config.databaseUser === undefined ? {} : { databaseUser: config.databaseUser }),
    ...(config.workers === 1
      ? {}
      : {
          settings: {
            max_connections: String(CONNECTIONS_EMBEDDED + CONNECTIONS_A_WORKER * config.workers),
          },
        }),
  });
  closing.add(() => server.stop());
  return server;
}

async function finish(input: {
  config: Config;
  logger: Logger;
  target: ConnectionTarget;
  isDatabaseUp: (() => boolean) | null;
  role: "server" | "command";
  mayMigrate: boolean;
  closing: ReturnType<typeof createClosing>;
}): Promise<Installation> {
  const { config, logger, closing } = input;
  const database = await openDatabase({
    target: input.target,
    applicationName: `turnpike-${input.role}`,
    connectionsMax: input.role === "server" ? SERVER_CONNECTIONS_MAX : COMMAND_CONNECTIONS_MAX,
    mayMigrate: input.mayMigrate,
    starting: { logger },
  });
  closing.add(() => database.close());
  const directory = openDirectory(config);
  closing.add(async () => directory?.close());
  const services = createServices(database, logger, directory);
  const context: CallContext = {
    actor: { type: "system", id: "start" },
    requestId: services.newId("request"),
  };
  await seedConfigured(services, context, config);
  if (input.role === "server") {
    await warnOfUnapplied(services, config);
  } else {
    database.endStart();
  }
  return {
    config,
    logger,
    database,
    services,
    plans: createBilledPlans({ ...services, billing: toBillingSettings(config) }),
    memberKeys,
    directory,
    isDatabaseUp: input.isDatabaseUp,
    close: closing.close,
  };
}

/**
 * Opens the installation for the one process that serves it: starts or adopts the embedded database (or connects to the
 * configured one), migrates and seeds.
 *
 * @param folder - The data folder, taken by this process; closing the installation, or failing to open it, gives it free.
 * @throws {StartupError} with a way out.
 */
export async function openInstallation(config: Config, folder: DataFolder): Promise<Installation> {
  const logger = createLogger({ level: config.logLevel });
  const closing = createClosing();
  closing.add(() => folder.release());
  const input = { config, logger, closing, role: "server", mayMigrate: true } as const;
  try {
    if (config.databaseUrl !== undefined) {
      const target = { url: config.databaseUrl };
      return await finish({ ...input, target, isDatabaseUp: null });
    }
    const server = await openOwnDatabase(config, logger, closing);
    return await finish({
      ...input,
      target: server.connection,
      isDatabaseUp: () => server.isUp(),
    });
  } catch (error) {
    await closing.close();
    throw error;
  }
}

/**
 * Joins the installation that the main thread of this process has opened, for a thread that serves it with connections of its
 * own; closing it closes those.
 */
export function joinInstallation(input: {
  config: Config;
  logger: Logger;
  target: ConnectionTarget;
  connectionsMax: number;
  isDatabaseUp: (() => boolean) | null;
}): Installation {
  const { config, logger, target, connectionsMax } = input;
  const database = joinDatabase({
    target,
    connectionsMax,
    applicationName: "turnpike-worker",
    starting: { logger },
  });
  const directory = openDirectory(config);
  const services = createServices(database, logger, directory);
  return {
    config,
    logger,
    database,
    services,
    plans: createBilledPlans({ ...services, billing: toBillingSettings(config) }),
    memberKeys,
    directory,
    isDatabaseUp: input.isDatabaseUp,
    close: async () => {
      await Promise.all([database.close(), directory?.close()]);
    },
  };
}

/** A command that only asks, or means another installation, must not leave a new one behind. */
async function assertInstalled(folder: string): Promise<void> {
  if (!(await isInstalled(folder))) {
    throw new StartupError({
      code: "INSTALLATION_MISSING",
      message: `There is no installation in ${folder}`,
      hint: `Start one with ${START_COMMAND}, or set TURNPIKE_DATA_DIR to the folder of yours`,
    });
  }
}

/**
 * Joins the database that runs in the data folder: a command that has started it keeps it until this one has closed it.
 *
 * @returns Where it is; undefined when there is none, or it is about to be stopped.
 */
async function joinRunning(folder: string, closing: ReturnType<typeof createClosing>) {
  // Before looking: what is seen then stays.
  const joined = await joinHolder(folder);
  if (joined === undefined) {
    return undefined;
  }
  try {
    const running = await attachEmbeddedPostgres({ folder });
    if (running !== undefined) {
      closing.add(() => joined.release());
      return running;
    }
  } catch (error) {
    await joined.release();
    throw error;
  }
  await joined.release();
  return undefined;
}

/** A server that starts its database anew is back within seconds; one that hangs is not waited for. */
const JOIN_WAIT_MS = 30_000;
const JOIN_INTERVAL_MS = 250;
/** Longer than commands take but for the longest, which go on where they were when called again. */
const JOINED_WAIT_MS = 10 * 60_000;

/**
 * Takes the data folder for a command, or joins the process that holds it.
 *
 * @returns The folder when no process serves it; otherwise the address of the serving process's database, once it is up.
 * @throws {StartupError} `DATA_FOLDER_IN_USE` when its holder has no database for half a minute.
 */
async function takeOrJoin(folder: string, closing: ReturnType<typeof createClosing>) {
  const end = systemClock.monotonicMs() + JOIN_WAIT_MS;
  for (;;) {
    try {
      return { folder: await openDataFolder(folder) };
    } catch (error) {
      const isHeld = error instanceof StartupError && error.code === "DATA_FOLDER_IN_USE";
      if (!isHeld || systemClock.monotonicMs() > end) {
        throw error;
      }
    }
    const running = await joinRunning(folder, closing);
    if (running !== undefined) {
      return { running };
    }
    await delay(JOIN_INTERVAL_MS);
  }
}

/**
 * Opens the installation for a command: joins the database of the process that serves, or starts it for the time of the
 * command when none does.
 *
 * @param options.mayCreate - Makes an installation where there is none, and migrates one of an older version. Default false.
 * @param options.log - Gets the lines of the log. Default standard error.
 * @throws {StartupError} with a way out; `INSTALLATION_MISSING` when there is none and none may be made, `SCHEMA_OLDER`.
 */
export async function openForCommand(
  config: Config,
  options: { mayCreate?: boolean; log?: { write(line: string): void } } = {},
): Promise<Installation> {
  const destination = options.log ?? process.stderr;
  const logger = createLogger({ level: config.logLevel, destination });
  const closing = createClosing();
  const mayMigrate = options.mayCreate ?? false;
  const input = { config, logger, closing, role: "command", mayMigrate } as const;
  try {
    const url = config.databaseUrl;
    const running = url === undefined ? await joinRunning(config.dataFolder, closing) : { url };
    if (running !== undefined) {
      return await finish({ ...input, target: running, isDatabaseUp: null });
    }
    if (!mayMigrate) {
      await assertInstalled(config.dataFolder);
    }
    const taken = await takeOrJoin(config.dataFolder, closing);
    if (taken.folder === undefined) {
      return await finish({ ...input, target: taken.running, isDatabaseUp: null });
    }
    const { folder } = taken;
    closing.add(() => folder.release());
    await allowJoining(folder.path);
    let alone: FolderLock | undefined;
    closing.add(async () => alone?.release());
    const server = await openOwnDatabase(config, logger, closing);
    closing.add(async () => {
      alone = await waitUntilAlone(folder.path, JOINED_WAIT_MS);
    });
    const target = server.connection;
    return await finish({ ...input, target, isDatabaseUp: () => server.isUp() });
  } catch (error) {
    await closing.close();
    throw error;
  }
}

/**
 * Opens nothing but the database of an installation that is not being served, as it is: an older version's stays one.
 *
 * @param options.mayJoin - Takes the database of a process that serves, where there is one: for work that only reads. Default
 *   false.
 * @throws {StartupError} `INSTALLATION_MISSING`, `DATA_FOLDER_IN_USE`, and what a start of the database may say.
 */
export async function withDatabaseAsItIs<Result>(
  config: Config,
  options: { log: { write(line: string): void }; mayJoin?: boolean },
  work: (target: ConnectionTarget) => Promise<Result>,
): Promise<Result> {
  if (config.databaseUrl !== undefined) {
    return await work({ url: config.databaseUrl });
  }
  await assertInstalled(config.dataFolder);
  const logger = createLogger({ level: config.logLevel, destination: options.log });
  const closing = createClosing();
  try {
    const running =
      options.mayJoin === true ? await joinRunning(config.dataFolder, closing) : undefined;
    if (running !== undefined) {
      return await work(running);
    }
    const folder = await openDataFolder(config.dataFolder);
    closing.add(() => folder.release());
    const server = await openOwnDatabase(config, logger, closing);
    return await work(server.connection);
  } finally {
    await closing.close();
  }
}

/** A uid may have no name, as in a container that runs as an arbitrary one. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${String(process.geteuid?.())}`;
  }
}

/** The actor of the command line: anyone who may read the data folder is the operator. */
export function commandContext(services: AppServices): CallContext {
  return {
    actor: { type: "operator", id: `command line (${nameOfUser()})` },
    requestId: services.newId("request"),
  };
}

/** The folder of one kind of data inside the data folder. */
export function dataPath(
  config: Config,
  name: "journal" | "files" | "secrets" | "openapi",
): string {
  return join(config.dataFolder, name);
}
