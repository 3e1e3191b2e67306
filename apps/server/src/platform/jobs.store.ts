import { type ConnectionTarget, findPrimaryOf, type Tx } from "@turnpike/db/client";
import { parseDatabaseAddress } from "@turnpike/db/database-address";
import { PrimarySocket } from "@turnpike/db/open-socket";
import type { ConstructorOptions, Db } from "pg-boss";

/** The queue's tables live in a schema of their own, migrated by the library. */
const SCHEMA = "pgboss";

/** Processes that start at the same time take turns. No other lock uses the number; that of the change feed is 7163022. */
const GRANT_LOCK = 7_163_031;

/**
 * Lets the operator role enqueue in its own transactions, and read nothing of a job but its id and start. The tenant role
 * gets nothing: jobs carry payloads of every tenant.
 *
 * PostgreSQL fails a grant that runs while another process makes the same one ("tuple concurrently updated"), so the
 * grants are made under a lock, and only when they are missing. Send it as one simple query: that is one transaction.
 */
export const GRANT_ENQUEUE = `
  select pg_advisory_xact_lock(${String(GRANT_LOCK)});
  do $grant$
  begin
    if not (has_schema_privilege('turnpike_operator', '${SCHEMA}', 'usage')
      and has_table_privilege('turnpike_operator', '${SCHEMA}.queue', 'select')
      and has_table_privilege('turnpike_operator', '${SCHEMA}.job', 'insert')
      and has_column_privilege('turnpike_operator', '${SCHEMA}.job', 'id', 'select')
      and has_column_privilege('turnpike_operator', '${SCHEMA}.job', 'start_after', 'select')
      and has_table_privilege('turnpike_operator', '${SCHEMA}.job_common', 'insert')
      and has_column_privilege('turnpike_operator', '${SCHEMA}.job_common', 'id', 'select')
      and has_column_privilege('turnpike_operator', '${SCHEMA}.job_common', 'start_after', 'select'))
    then
      grant usage on schema ${SCHEMA} to turnpike_operator;
      grant select on ${SCHEMA}.queue to turnpike_operator;
      grant insert, select (id, start_after) on ${SCHEMA}.job, ${SCHEMA}.job_common to turnpike_operator;
    end if;
  end
  $grant$`;

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
    const address = parseDatabaseAddress(target.url);
    const find = findPrimaryOf(address);
    const toPrimary = find === undefined ? {} : { stream: () => new PrimarySocket(find) };
    return { ...shared, connectionString: address.url, ssl: address.ssl, ...toPrimary };
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
