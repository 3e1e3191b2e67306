import type { Tx } from "@turnpike/db/client";

export type DatabaseFacts = {
  version: string;
  /** Settings without which a committed call may be lost when the machine fails, as the server has them. */
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  /** The server's clock, read while the statement ran. */
  now: Date;
};

export async function readDatabaseFacts(tx: Tx): Promise<DatabaseFacts> {
  const [row] = await tx<
    {
      version: string;
      fsync: string;
      full_page_writes: string;
      synchronous_commit: string;
      now: Date;
    }[]
  >`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('full_page_writes') as full_page_writes,
      current_setting('synchronous_commit') as synchronous_commit, clock_timestamp() as now`;
  if (row === undefined) {
    throw new Error("The database has no settings.");
  }
  return {
    version: row.version,
    fsync: row.fsync,
    fullPageWrites: row.full_page_writes,
    synchronousCommit: row.synchronous_commit,
    now: row.now,
  };
}

export async function hasOperator(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ found: boolean }[]>`
    select exists (select from users where is_operator and deleted_at is null) as found`;
  return row?.found === true;
}

export async function hasDemoTenant(tx: Tx): Promise<boolean> {
  const [row] = await tx<{ found: boolean }[]>`
    select exists (select from tenants where external_id like 'turnpike-demo:%') as found`;
  return row?.found === true;
}
