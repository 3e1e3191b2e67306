import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type ConnectionTarget, connect, type Sql } from "@turnpike/db/client";
import { inject } from "vitest";

type ServerConnection = Exclude<ConnectionTarget, { url: string }>;

/** The server of this test run, started by `tools/vitest/`. Crosses to the test workers as JSON. */
export type TestServer = {
  connection: ServerConnection;
  /** Name of the migrated database that each test database is a copy of. */
  template: string;
  /** Whose the template is, and each copy of it, as in an installation. */
  owner: string;
  /** Why the tests of this project are skipped, or null when they run. */
  skipReason: string | null;
};

declare module "vitest" {
  export interface ProvidedContext {
    testServer: TestServer;
  }
}

/** A database of its own for one test file. */
export type TestDatabase = {
  /** For code under test that opens its own pool. */
  target: ServerConnection;
  /** A pool of the superuser, for arranging and for looking. */
  sql: Sql;
  /** Cuts every connection and drops the database. */
  close(): Promise<void>;
};

const POOL_SIZE = 10;
const COPY_ATTEMPTS = 3;
/** Only ends what hangs: a copy takes tens of milliseconds. */
const ADMIN_TIMEOUT_MS = 60_000;

/**
 * Makes a migrated, empty database in tens of milliseconds, as a copy of the run's template. Call it in `beforeAll` and
 * `close` it in `afterAll`.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { connection, template, owner } = inject("testServer");
  const database = await copyTemplate(async (name) => {
    // The default writes each page to the write-ahead log as well, and leaves them in memory for the drop to look for.
    await runOnce(
      connection,
      (sql) =>
        sql`create database ${sql(name)} template ${sql(template)} owner ${sql(owner)} strategy file_copy`,
    );
  });
  const target = { ...connection, database };
  const sql = connect(target, {
    connectionsMax: POOL_SIZE,
    applicationName: "test",
    statementTimeoutMs: 0,
  });
  return {
    target,
    sql,
    async close() {
      await sql.end({ timeout: 1 });
      await runOnce(connection, (admin) => admin`drop database ${admin(database)} with (force)`);
    },
  };
}

/** The server waits for all its sessions before it copies, so a copy is tried again under another name when one is stuck. */
async function copyTemplate(copy: (name: string) => Promise<void>): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const name = `test_${randomBytes(8).toString("hex")}`;
    try {
      await copy(name);
      return name;
    } catch (error) {
      if (attempt === COPY_ATTEMPTS) {
        throw error;
      }
      console.warn(`A copy of the test database failed and is tried again: ${String(error)}`);
    }
  }
}

/** Through the maintenance database: none can be copied or dropped by a session that is in it. */
async function runOnce(
  connection: ServerConnection,
  statement: (sql: Sql) => Promise<unknown>,
): Promise<void> {
  const sql = connect(
    { ...connection, database: "postgres" },
    { connectionsMax: 1, applicationName: "test-admin", statementTimeoutMs: ADMIN_TIMEOUT_MS },
  );
  const giveUp = new AbortController();
  const timeLimit = delay(ADMIN_TIMEOUT_MS * 1.5, undefined, { signal: giveUp.signal }).then(() => {
    throw new Error("The test server does not answer.");
  });
  try {
    await Promise.race([statement(sql), timeLimit]);
  } finally {
    giveUp.abort();
    timeLimit.catch(() => undefined);
    await sql.end({ timeout: 1 });
  }
}
