import { type ConnectionTarget, connect } from "@turnpike/db/client";
import { createTransact, type Transact } from "./transact.ts";

/** For jobs: longer than a request may take, and bounded all the same. */
const STATEMENT_TIMEOUT_MS = 5 * 60 * 1_000;
const CLOSE_TIMEOUT_SECONDS = 5;

/**
 * Connects to a database that another part of this process has migrated and checked.
 *
 * @param options.statementTimeoutMs - Left out: as long as jobs may take.
 */
export function openPostgresPool(
  target: ConnectionTarget,
  options: { applicationName: string; connectionsMax: number; statementTimeoutMs?: number },
): { transact: Transact; close(): Promise<void> } {
  const sql = connect(target, { statementTimeoutMs: STATEMENT_TIMEOUT_MS, ...options });
  return {
    transact: createTransact(sql),
    close: () => sql.end({ timeout: CLOSE_TIMEOUT_SECONDS }),
  };
}
