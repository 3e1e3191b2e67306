import { type ConnectionTarget, connect, type Tx } from "@turnpike/db/client";

/** A database that is not an installation: without roles and tenants. */
export type PlainPostgres = {
  transact<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

const CLOSE_TIMEOUT_SECONDS = 1;

/** Opens a pool; nothing is sent yet. @param options.timeoutMs - Of a statement, and of a new connection. */
export function openPlainPostgres(
  target: ConnectionTarget,
  options: { applicationName: string; connectionsMax: number; timeoutMs: number },
): PlainPostgres {
  const { timeoutMs, ...rest } = options;
  const sql = connect(target, {
    ...rest,
    statementTimeoutMs: timeoutMs,
    connectTimeoutMs: timeoutMs,
  });
  return {
    transact: (work) => sql.transaction(work, { timeoutMs: 2 * timeoutMs }),
    close: () => sql.end({ timeout: CLOSE_TIMEOUT_SECONDS }),
  };
}
