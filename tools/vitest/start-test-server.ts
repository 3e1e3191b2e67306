import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@turnpike/db/client";
import { migrate } from "@turnpike/db/migrate";
import type { TestServer } from "@turnpike/testkit/test-database";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../../apps/server/src/platform/embedded-postgres.ts";
import type { PostgresInstallation } from "../../apps/server/src/platform/postgres-binaries.ts";
import { BOOTSTRAP_USER } from "../../apps/server/src/platform/postgres-cluster.ts";

/** Where Debian puts the oldest PostgreSQL that the product supports. */
const OLDEST: PostgresInstallation = { folder: "/usr/lib/postgresql/15", version: "15" };

/**
 * A test database need not survive a power cut, so it never waits for the disk. What must survive one is tested on
 * servers with the product's own settings.
 */
const SETTINGS = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  max_connections: "300",
};

const QUIET = { info: () => undefined, warn: () => undefined, error: console.error };

/**
 * Starts the one server of a test run, with a migrated template, and hands it to the tests.
 *
 * @param version - `embedded` is what the product ships; `oldest` is PostgreSQL 15, and where that is not installed, the
 *   tests report themselves as skipped.
 * @returns What ends the server and removes its folder.
 */
export async function startTestServer(
  project: TestProject,
  version: "embedded" | "oldest",
): Promise<() => Promise<void>> {
  const hasOldest = await isInstalled(OLDEST);
  const folder = await mkdtemp(join(tmpdir(), "turnpike-test-"));
  const server = await startEmbeddedPostgres({
    folder,
    logger: QUIET,
    settings: SETTINGS,
    ...(version === "oldest" && hasOldest ? { installation: OLDEST } : {}),
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await migrateTemplate(server.connection);
  } catch (error) {
    await stop();
    throw error;
  }
  const provided: TestServer = {
    // Tests make and drop databases, which the product's own user may not.
    connection: { ...server.connection, user: BOOTSTRAP_USER },
    template: server.connection.database,
    owner: server.connection.user,
    skipReason: version === "oldest" && !hasOldest ? `No PostgreSQL 15 in ${OLDEST.folder}.` : null,
  };
  project.provide("testServer", provided);
  return stop;
}

async function isInstalled(installation: PostgresInstallation): Promise<boolean> {
  return await access(join(installation.folder, "bin", "postgres")).then(
    () => true,
    () => false,
  );
}

async function migrateTemplate(connection: TestServer["connection"]): Promise<void> {
  const sql = connect(connection, {
    connectionsMax: 2,
    applicationName: "test-setup",
    statementTimeoutMs: 0,
  });
  try {
    await migrate(sql);
  } finally {
    await sql.end();
  }
}
