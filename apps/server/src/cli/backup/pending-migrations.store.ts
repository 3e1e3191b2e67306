import { type ConnectionTarget, connect } from "@turnpike/db/client";
import { findMissingMigrations } from "@turnpike/db/migrate";

/**
 * Tells which migrations a database lacks, and changes nothing.
 *
 * @throws {NewerSchemaError} when a newer version has migrated it.
 */
export async function listPendingMigrations(target: ConnectionTarget): Promise<string[]> {
  const sql = connect(target, {
    connectionsMax: 1,
    applicationName: "turnpike-upgrade",
    statementTimeoutMs: 0,
  });
  try {
    return (await findMissingMigrations(sql)) ?? [];
  } finally {
    await sql.end({ timeout: 5 });
  }
}
