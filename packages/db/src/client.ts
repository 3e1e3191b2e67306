import type { Socket } from "node:net";
import postgres from "postgres";
import { ARRAY_TYPES } from "./array-types.ts";
import { type DatabaseAddress, parseDatabaseAddress, toAddressOf } from "./database-address.ts";
import {
  createPrimarySocketFactory,
  createSocketFactory,
  type SocketAddress,
} from "./open-socket.ts";
import { createPrimaryFinder } from "./primary-host.ts";
import {
  createTransactionPool,
  START_TIMEOUT_MS,
  type TransactionPool,
  type WireTypes,
} from "./transaction-pool.ts";

/**
 * How PostgreSQL is reached: an address, or the parts of one (the embedded server listens on a socket in a folder and
 * has a generated password).
 */
export type ConnectionTarget =
  | { url: string }
  | { host: string; port: number; user: string; password: string; database: string };

export type ConnectOptions = {
  /** At most this many connections. */
  connectionsMax: number;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  /** Milliseconds after which the server gives up a statement; 0 for none (migrations, reconcile). */
  statementTimeoutMs: number;
  /**
   * Milliseconds after which the server undoes a transaction whose process stalls between two statements, so that
   * its locks block no one any longer. Default: ten seconds, or none where statements have no limit either.
   */
  standstillTimeoutMs?: number;
  /** Milliseconds that a new connection may take to be ready. Default: five seconds. */
  connectTimeoutMs?: number;
  /**
   * While true, transactions wait up to `START_TIMEOUT_MS` for a connection and for the server's first answer: a start must
   * survive a database that is slow to answer. Default: never.
   */
  isStarting?: () => boolean;
};

/**
 * A pool. Single statements go through the driver's own; `transaction` has connections of its own, also `connectionsMax` at
 * the most, and survives the loss of any of them: the product uses nothing else once it serves.
 */
export type Sql = postgres.Sql<WireTypes> & Pick<TransactionPool, "transaction">;
export type Tx = postgres.TransactionSql<WireTypes>;
/** Part of a statement, to be put into another one: its values stay parameters. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;
/** Any value that can be sent as JSON. */
export type JsonValue = postgres.JSONValue;

const CONNECT_TIMEOUT_MS = 5_000;
/** Of a process that was stopped, or whose machine sleeps or is cut off, the server learns nothing; one that works is faster. */
const STANDSTILL_TIMEOUT_MS = 10_000;
/** The server gives up a statement by itself, unless it is frozen or out of reach: this much later we do. */
const ANSWER_GRACE_MS = 5_000;

/** Reads libpq's `?host=/folder`, which names a Unix socket and which the driver does not know. */
function splitSocketFolder(address: string): { url: string; socketFolder: string | undefined } {
  const url = new URL(address);
  const host = url.searchParams.get("host");
  if (host === null || !host.startsWith("/")) {
    return { url: address, socketFolder: undefined };
  }
  url.searchParams.delete("host");
  return { url: url.href, socketFolder: host };
}

type OpenDriver = (options: DriverOptions) => postgres.Sql<WireTypes>;
type DriverOptions = postgres.Options<{ bigint: postgres.PostgresType<bigint> }> & {
  /** Missing in the driver's types. */
  socket?: (address: SocketAddress) => Socket | Promise<Socket>;
};

/** Finds the server that takes writes at each connection to an address with several hosts; undefined with one. */
export function findPrimaryOf({ url, hosts, ssl }: DatabaseAddress) {
  return hosts.length === 1
    ? undefined
    : createPrimaryFinder({ hosts, ssl, toUrl: (host) => toAddressOf(url, host) });
}

function driverFor(target: ConnectionTarget): OpenDriver {
  if ("url" in target) {
    const address = parseDatabaseAddress(target.url);
    const findPrimary = findPrimaryOf(address);
    if (findPrimary !== undefined) {
      return (options) => {
        const socket = createPrimarySocketFactory(findPrimary, options.socket !== undefined);
        const toPrimary: DriverOptions = { ...options, ssl: address.ssl, socket };
        return postgres(address.url, toPrimary);
      };
    }
    const { url, socketFolder } = splitSocketFolder(address.url);
    const socketHost = socketFolder === undefined ? {} : { host: socketFolder };
    return (options) => postgres(url, { ...options, ...socketHost, ssl: address.ssl });
  }
  const { host, port, user, password, database } = target;
  return (options) =>
    postgres({ ...options, host, port, username: user, password, database, ssl: false });
}

/**
 * Opens a pool. Connections are made when needed; nothing is sent yet.
 *
 * @throws Errors of the file system when the certificate authorities that the address names cannot be read.
 */
export function connect(target: ConnectionTarget, options: ConnectOptions): Sql {
  const openDriver = driverFor(target);
  const { statementTimeoutMs } = options;
  const standstillTimeoutMs =
    options.standstillTimeoutMs ?? (statementTimeoutMs === 0 ? 0 : STANDSTILL_TIMEOUT_MS);
  const shared: DriverOptions = {
    connect_timeout: (options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS) / 1_000,
    onnotice: () => undefined,
    connection: {
      application_name: options.applicationName,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: standstillTimeoutMs,
      TimeZone: "UTC",
    },
    types: { bigint: postgres.BigInt, ...ARRAY_TYPES },
    fetch_types: false,
  };
  const sql = openDriver({
    ...shared,
    max: options.connectionsMax,
    // A pooled connection that outlives a failover or a password change would be wrong for ever.
    max_lifetime: 60 * 30,
    idle_timeout: 60,
  });
  const pool = createTransactionPool({
    // The pool decides how long a connection lives: the driver would end one under a transaction that begins.
    open: (onclose) =>
      openDriver({
        ...shared,
        ...(options.isStarting?.() === true ? { connect_timeout: START_TIMEOUT_MS / 1_000 } : {}),
        max: 1,
        max_lifetime: null,
        idle_timeout: 0,
        onclose,
        socket: createSocketFactory(),
      }),
    isStarting: options.isStarting,
    connectionsMax: options.connectionsMax,
    timeoutMs: statementTimeoutMs === 0 ? 0 : statementTimeoutMs + ANSWER_GRACE_MS,
  });
  const endDriver = sql.end;
  return Object.assign(sql, {
    transaction: pool.transaction,
    end: async (ending?: { timeout?: number }) => {
      await Promise.all([pool.end(ending), endDriver(ending)]);
    },
  });
}
