import { type ConnectionOptions, checkServerIdentity } from "node:tls";
import postgres from "postgres";

export type DatabaseHost = { host: string; port: number };

/** None of several hosts takes writes: a failover is under way, or all of them are standbys. */
class NoPrimaryError extends Error {
  override readonly name = "NoPrimaryError";
  /** What a server says that is there and does not take connections yet, so that a start waits for it. */
  readonly code = "57P03";
}

/** Shorter than a transaction waits for its connection: a host that is cut off must not use up that time. */
const PROBE_TIMEOUT_SECONDS = 4;

/** The certificate may be that of any host in the list: which of them answers is found out at each connection. */
export function acceptAnyOf(hosts: readonly DatabaseHost[]): ConnectionOptions {
  return {
    checkServerIdentity: (_name, certificate) => {
      const mistakes = hosts.map(({ host }) => checkServerIdentity(host, certificate));
      return mistakes.includes(undefined) ? undefined : mistakes[0];
    },
  };
}

async function takesWrites(url: string, ssl: false | ConnectionOptions): Promise<void> {
  const sql = postgres(url, {
    ssl,
    max: 1,
    connect_timeout: PROBE_TIMEOUT_SECONDS,
    fetch_types: false,
    onnotice: () => undefined,
    connection: { application_name: "turnpike-primary" },
  });
  try {
    const [row] = await sql<{ isStandby: boolean; isReadOnly: boolean }[]>`
      select pg_is_in_recovery() as "isStandby",
        current_setting('transaction_read_only')::boolean as "isReadOnly"`.simple();
    if (row === undefined || row.isStandby || row.isReadOnly) {
      throw new NoPrimaryError("The server takes no writes.");
    }
  } finally {
    await sql.end({ timeout: 0 });
  }
}

/**
 * Makes a function that finds the host that takes writes, anew for each connection: which one it is changes with a failover.
 * All are asked at once, so that one that is cut off delays nothing.
 *
 * @param toUrl - The address of one host alone.
 * @returns Rejects with what the first host said when none can be reached, or with code `57P03` when none takes writes.
 */
export function createPrimaryFinder(input: {
  hosts: readonly DatabaseHost[];
  toUrl: (host: DatabaseHost) => string;
  ssl: false | ConnectionOptions;
}): () => Promise<DatabaseHost> {
  const { hosts, toUrl, ssl } = input;
  let asking: Promise<DatabaseHost> | undefined;

  async function find(): Promise<DatabaseHost> {
    const asked = hosts.map((host) => takesWrites(toUrl(host), ssl).then(() => host));
    try {
      return await Promise.any(asked);
    } catch (error) {
      const reasons: unknown[] = error instanceof AggregateError ? error.errors : [error];
      throw reasons.find((reason) => reason instanceof NoPrimaryError) ?? reasons[0];
    }
  }

  return () => {
    // Connections that are opened together share the answer.
    asking ??= find().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}
