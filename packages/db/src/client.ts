import postgres from "postgres";

/**
 * How PostgreSQL is reached: an address, or the parts of one (the embedded server listens on a socket in a folder and
 * has a generated password).
 */
export type ConnectionTarget =
  | { url: string }
  | { host: string; port: number; user: string; password: string; database: string };

export type ConnectOptions = {
  /** Connections at the most. */
  connectionsMax: number;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  /** Milliseconds after which the server gives up a statement; 0 for none (migrations, reconcile). */
  statementTimeoutMs: number;
};

/** Types that cross the wire: `bigint` columns arrive as `bigint`, `numeric` ones as exact decimal strings. */
type WireTypes = { bigint: bigint };

export type Sql = postgres.Sql<WireTypes>;
export type Tx = postgres.TransactionSql<WireTypes>;
/** Any value that can be sent as JSON. */
export type JsonValue = postgres.JSONValue;

/** Seconds to wait for a connection before the query fails. */
const CONNECT_TIMEOUT_SECONDS = 5;

/** Reads libpq's `?host=/folder`, which names a Unix socket and which the driver does not know. */
function splitSocketFolder(address: string): { url: string; socketFolder: string | undefined } {
  if (!URL.canParse(address)) {
    return { url: address, socketFolder: undefined };
  }
  const url = new URL(address);
  const host = url.searchParams.get("host");
  if (host === null || !host.startsWith("/")) {
    return { url: address, socketFolder: undefined };
  }
  url.searchParams.delete("host");
  return { url: url.href, socketFolder: host };
}

/** Opens a pool. Connections are made when needed; nothing is sent yet. */
export function connect(target: ConnectionTarget, options: ConnectOptions): Sql {
  const shared = {
    max: options.connectionsMax,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    // A pooled connection that outlives a failover or a password change would be wrong for ever.
    max_lifetime: 60 * 30,
    idle_timeout: 60,
    onnotice: () => undefined,
    connection: {
      application_name: options.applicationName,
      statement_timeout: options.statementTimeoutMs,
      TimeZone: "UTC",
    },
    types: { bigint: postgres.BigInt },
  };
  if ("url" in target) {
    const { url, socketFolder } = splitSocketFolder(target.url);
    return postgres(url, socketFolder === undefined ? shared : { ...shared, host: socketFolder });
  }
  return postgres({
    ...shared,
    host: target.host,
    port: target.port,
    username: target.user,
    password: target.password,
    database: target.database,
  });
}
