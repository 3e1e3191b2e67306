import { type ConnectionTarget, connect, type Sql, type Tx } from "@turnpike/db/client";

/** The process of the server that runs a transaction. Without a prepared statement, which is what may be broken. */
async function readBackendPid(sql: Pick<Sql, "unsafe">): Promise<number> {
  const [row] = await sql.unsafe<{ pid: number }[]>("select pg_backend_pid() as pid").simple();
  if (row === undefined) {
    throw new Error("The database has no session.");
  }
  return row.pid;
}

/**
 * Tells whether a connection keeps its session. A pooler in transaction mode gives a client another session of the server while
 * its last one is in use by someone else, which a second client provokes here.
 */
export async function keepsSessions(target: ConnectionTarget): Promise<boolean> {
  const options = {
    connectionsMax: 1,
    applicationName: "turnpike-probe",
    statementTimeoutMs: 5_000,
  };
  const [own, other] = [connect(target, options), connect(target, options)];
  try {
    const before = await readBackendPid(own);
    return await other.begin(async (tx) => {
      await readBackendPid(tx);
      return (await readBackendPid(own)) === before;
    });
  } finally {
    await Promise.all([own.end({ timeout: 0 }), other.end({ timeout: 0 })]);
  }
}

/** Standbys that a commit waits for, as the server is configured; empty for none. */
export async function readSynchronousStandbys(tx: Tx): Promise<string> {
  const [row] = await tx<{ names: string }[]>`
    select current_setting('synchronous_standby_names') as names`;
  return row?.names ?? "";
}
