import { setTimeout as delay } from "node:timers/promises";
import { type ConnectionTarget, connect, type Sql } from "@turnpike/db/client";
import { describeAddress } from "@turnpike/db/database-address";
import {
  databaseErrorCode,
  isConnectionError,
  isServerNotReady,
} from "@turnpike/db/database-errors";
import {
  findMissingMigrations,
  MigrationError,
  migrate,
  NewerSchemaError,
  UnsupportedServerError,
} from "@turnpike/db/migrate";
import { START_TIMEOUT_MS } from "@turnpike/db/transaction-pool";
import { findRoleStatements } from "./database-roles.store.ts";
import { findSecurityGaps } from "./security-gaps.store.ts";
import { type StartWaitInput, waitAtStart } from "./start-wait.ts";
import { StartupError } from "./startup-error.ts";
import { createTransact, type Transact } from "./transact.ts";

export type Database = {
  target: ConnectionTarget;
  sql: Sql;
  transact: Transact;
  /** Ends the start: from now on a database that does not answer fails a transaction within seconds. */
  endStart(): void;
  close(): Promise<void>;
};

export type OpenDatabaseOptions = {
  target: ConnectionTarget;
  applicationName: string;
  connectionsMax: number;
  /** False: it must be of this very version already. Default true. */
  mayMigrate?: boolean;
  /**
   * For a process that starts: transactions wait for a slow database, and the log says so, until `endStart` is called.
   * Left out: it never waits longer than a call may.
   */
  starting?: Pick<StartWaitInput, "logger"> | undefined;
};

/** No request may hold a connection longer; long work sets its own limit. */
const STATEMENT_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_SECONDS = 5;
const NOT_READY_INTERVAL_MS = 500;
/** SQLSTATE of what a migration itself refuses. */
const RAISED_EXCEPTION = "P0001";

/** The address without its password, for messages. */
function describeTarget(target: ConnectionTarget): string {
  if (!("url" in target)) {
    return `${target.host}, port ${String(target.port)}`;
  }
  try {
    return describeAddress(target.url);
  } catch {
    return "DATABASE_URL";
  }
}

/** @throws {StartupError} with all that a superuser has to do, so that one round is enough. */
async function assertRolesUsable(sql: Sql): Promise<void> {
  const { user, statements } = await findRoleStatements(sql);
  if (statements.length > 0) {
    throw new StartupError({
      code: "DATABASE_START_FAILED",
      message: `The database user ${user} lacks roles that keep tenants apart, and may not make them itself. For a superuser, in any database of the server:${statements.map((statement) => `\n  ${statement}`).join("")}\nThe same roles serve every database of Turnpike on that server`,
      hint: "Run these statements and start again",
    });
  }
}

/** @throws {StartupError} `INSTALLATION_MISSING`, `SCHEMA_OLDER`. */
async function assertMigrated(sql: Sql, target: ConnectionTarget): Promise<void> {
  const missing = await findMissingMigrations(sql);
  if (missing === undefined) {
    throw new StartupError({
      code: "INSTALLATION_MISSING",
      message: `There is no installation in the database at ${describeTarget(target)}`,
      hint:
        "url" in target
          ? "Start one with npm start, or set DATABASE_URL to the database of yours"
          : "Start one with npm start",
    });
  }
  const [first] = missing;
  if (first !== undefined) {
    throw new StartupError({
      code: "SCHEMA_OLDER",
      message: `The database is of an older version of Turnpike: migrations are missing from ${first} on`,
      hint: "Start the server of this version, which migrates it, or use the commands of that version",
    });
  }
}

async function migrateWithRoles(sql: Sql): Promise<void> {
  try {
    await migrate(sql);
  } catch (error) {
    // The first migration makes the roles, and stops at the first that it may not make or use.
    if (error instanceof MigrationError && databaseErrorCode(error.cause) === RAISED_EXCEPTION) {
      await assertRolesUsable(sql);
    }
    throw error;
  }
}

async function assertSecure(sql: Sql): Promise<void> {
  const gaps = await findSecurityGaps(sql);
  if (gaps.length > 0) {
    throw new StartupError({
      code: "DATABASE_START_FAILED",
      message: `The database does not keep tenants apart: ${gaps.join(" ")}`.replace(/\.$/, ""),
      hint: "Undo what was changed by hand in roles and policies",
    });
  }
  // Also of a database that another user migrated.
  await assertRolesUsable(sql);
}

/** Says of what a database answered while it was opened, or of its silence, what the person at the terminal can do. */
export function toDatabaseError(error: unknown, target: ConnectionTarget): unknown {
  if (error instanceof StartupError) {
    return error;
  }
  if (error instanceof NewerSchemaError) {
    return new StartupError({
      code: "SCHEMA_NEWER",
      message: `The database was migrated by a newer version of Turnpike (${error.unknown.join(", ")})`,
      hint: "Start that version again, or use another database",
      cause: error,
    });
  }
  if (error instanceof UnsupportedServerError) {
    return new StartupError({
      code: "DATABASE_VERSION_MISMATCH",
      message: error.message.replace(/\.$/, ""),
      hint: "Point DATABASE_URL at a newer server",
      cause: error,
    });
  }
  const migrationFailure = error instanceof MigrationError ? error.cause : undefined;
  if (migrationFailure instanceof Error) {
    const hint = "hint" in migrationFailure ? migrationFailure.hint : undefined;
    return new StartupError({
      code: "DATABASE_START_FAILED",
      message: `The database at ${describeTarget(target)} cannot be migrated (${migrationFailure.message.replace(/\.$/, "")})`,
      hint:
        typeof hint === "string"
          ? hint.replace(/\.$/, "")
          : "The message of the database says what is in the way",
      cause: error,
    });
  }
  const reason =
    error instanceof Error && error.message !== "" ? error.message : databaseErrorCode(error);
  return new StartupError({
    code: "DATABASE_UNREACHABLE",
    message: `The database at ${describeTarget(target)} cannot be used (${reason ?? "no reason given"})`,
    hint:
      "url" in target
        ? "Check that it runs and that DATABASE_URL is right, or leave DATABASE_URL out to use the embedded one"
        : "It is the embedded one: stop Turnpike and start it again",
    cause: error,
  });
}

/** What a start that waits for this database says; nothing is logged without a logger. */
export function describeWait(input: {
  target: ConnectionTarget;
  logger?: StartWaitInput["logger"];
}): StartWaitInput {
  return {
    what: `The database at ${describeTarget(input.target)}`,
    hint: "Check that it runs and is not overloaded, then start again",
    logger: input.logger,
  };
}

const startWaitOf = ({ target, starting }: OpenDatabaseOptions): StartWaitInput =>
  describeWait({ target, logger: starting?.logger });

/**
 * Connects, migrates to the newest schema or checks that it is migrated, and checks that row-level security holds. Waits
 * minutes for a database that accepts connections and is slow to answer; one that refuses them is an error at once.
 *
 * @throws {StartupError} `DATABASE_UNREACHABLE`, `SCHEMA_NEWER`, `SCHEMA_OLDER`, `INSTALLATION_MISSING`,
 *   `DATABASE_VERSION_MISMATCH`, `DATABASE_START_FAILED`.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const { target } = options;
  try {
    await waitAtStart(startWaitOf(options), (signal) => prepareWhenReady(options, signal));
  } catch (error) {
    throw toDatabaseError(error, target);
  }
  return joinDatabase(options);
}

/** A server that is itself still starting refuses connections with a state of its own. */
async function prepareWhenReady(options: OpenDatabaseOptions, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await prepare(options);
      return;
    } catch (error) {
      if (!isServerNotReady(error) || signal.aborted) {
        throw error;
      }
    }
    await delay(NOT_READY_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function prepare(options: OpenDatabaseOptions): Promise<void> {
  const { target } = options;
  const preparing = connect(target, {
    connectionsMax: 2,
    applicationName: `${options.applicationName}-start`,
    statementTimeoutMs: 0,
    connectTimeoutMs: START_TIMEOUT_MS,
  });
  try {
    await (options.mayMigrate === false
      ? assertMigrated(preparing, target)
      : migrateWithRoles(preparing));
    await assertSecure(preparing);
  } finally {
    await preparing.end({ timeout: 1 });
  }
}

/** Connects to a database that another thread of this process has migrated and checked. Sends nothing yet. */
export function joinDatabase(options: OpenDatabaseOptions): Database {
  const { target } = options;
  let isStarting = options.starting !== undefined;
  const sql = connect(target, {
    connectionsMax: options.connectionsMax,
    applicationName: options.applicationName,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    isStarting: () => isStarting,
  });
  const transaction: Sql["transaction"] = async (work, transactionOptions) => {
    if (!isStarting) {
      return await sql.transaction(work, transactionOptions);
    }
    try {
      const wait = startWaitOf(options);
      return await waitAtStart(wait, () => sql.transaction(work, transactionOptions));
    } catch (error) {
      throw isConnectionError(error) ? toDatabaseError(error, target) : error;
    }
  };
  return {
    target,
    sql,
    transact: createTransact({ transaction }),
    endStart: () => {
      isStarting = false;
    },
    close: () => sql.end({ timeout: CLOSE_TIMEOUT_SECONDS }),
  };
}
