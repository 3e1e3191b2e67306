import type { ConnectionTarget, Tx } from "@turnpike/db/client";
import { parseDatabaseAddress } from "@turnpike/db/database-address";
import type { ConstructorOptions, Db } from "pg-boss";

/** The queue's tables live in a schema of their own, migrated by the library. */
const SCHEMA = "pgboss";

/**
 * Lets the operator role enqueue in its own transactions, and read nothing of another's payloads but the queues. The
 * tenant role gets nothing: jobs carry payloads of every tenant.
 */
export const GRANT_ENQUEUE = `
  grant usage on schema ${SCHEMA} to turnpike_operator;
  grant select on ${SCHEMA}.queue to turnpike_operator;
  grant insert, select (id, start_after) on ${SCHEMA}.job, ${SCHEMA}.job_common to turnpike_operator`;

/**
 * Connection of the library's own pool. It keeps one because its statements count on how `pg` sends parameters; only
 * enqueueing in a caller's transaction goes through our driver.
 */
export function toQueueConnection(
  target: ConnectionTarget,
  connectionsMax: number,
): ConstructorOptions {
  const shared = { schema: SCHEMA, max: connectionsMax, application_name: "turnpike-jobs" };
  if ("url" in target) {
    const { url, ssl } = parseDatabaseAddress(target.url);
    return { ...shared, connectionString: url, ssl };
  }
  const { host, port, user, password, database } = target;
  return { ...shared, host, port, user, password, database, ssl: false };
}

/** Runs the library's one insert statement, whose parameter is text, inside the caller's transaction. */
export function toQueueDatabase(tx: Tx): Db {
  return {
    async executeSql(text, values = []) {
      const rows = await tx.unsafe(text, values.map(String));
      return { rows: [...rows] };
    },
  };
}
