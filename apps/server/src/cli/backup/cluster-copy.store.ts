import { type ConnectionTarget, connect } from "@turnpike/db/client";

/** What a copy of a running database needs beside its files. */
export type CopiedCluster = { backupLabel: string };

const SLOT = "turnpike_backup";

/**
 * Lets PostgreSQL know that its files are copied while it runs: what `copy` reads may be of different moments, and the log that
 * is kept from the beginning on, which `copyLog` copies at last, makes them one. Needs a superuser. An end of this process ends
 * both the backup and the keeping of the log.
 *
 * @param input.beforeEnd - What has to be from just before the moment that the copy is of.
 */
export async function copyWhileRunning(input: {
  target: ConnectionTarget;
  copy(): Promise<void>;
  beforeEnd(): Promise<void>;
  copyLog(): Promise<void>;
}): Promise<CopiedCluster> {
  const sql = connect(input.target, {
    connectionsMax: 1,
    applicationName: "turnpike-backup",
    statementTimeoutMs: 0,
  });
  // The driver reserves none but an open connection: asked for the first one, it waits for ever.
  await sql`select 1`;
  const session = await sql.reserve();
  try {
    const slot = `${SLOT}_${String(process.pid)}`;
    await session`select pg_create_physical_replication_slot(${slot}, true, true)`;
    await session`select pg_backup_start('turnpike', true)`;
    await input.copy();
    await input.beforeEnd();
    const [end] = await session<{ label: string }[]>`
      select labelfile as label from pg_backup_stop(false)`;
    await input.copyLog();
    return { backupLabel: end?.label ?? "" };
  } finally {
    session.release();
    await sql.end({ timeout: 5 });
  }
}
