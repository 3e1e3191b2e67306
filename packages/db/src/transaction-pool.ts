import type postgres from "postgres";
import { DatabaseTimeoutError } from "./database-errors.ts";

/** Types that cross the wire: `bigint` columns arrive as `bigint`, `numeric` ones as exact decimal strings. */
export type WireTypes = { bigint: bigint };

type SingleConnection = postgres.Sql<WireTypes>;
type Tx = postgres.TransactionSql<WireTypes>;

export type TransactionOptions = {
  /** Milliseconds for the whole transaction; 0 for no limit. Default: the pool's. */
  timeoutMs?: number;
};

export type TransactionPool = {
  /**
   * Runs `work` in a transaction: committed when it resolves, rolled back when it rejects.
   *
   * @throws {DatabaseTimeoutError} when no connection came free, or the server did not answer, in time. The outcome of a
   *   commit under way is not known then, as with every lost connection.
   */
  transaction<Result>(
    work: (tx: Tx) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** Waits for transactions under way, at most so many seconds when that is given, then cuts every connection. */
  end(options?: { timeout?: number }): Promise<void>;
};

export type TransactionPoolOptions = {
  /** Makes a client of exactly one connection, which connects when first used; `onClosed` when that is gone. */
  open(onClosed: () => void): SingleConnection;
  connectionsMax: number;
  timeoutMs: number;
  /** While true, `START_TIMEOUT_MS` replaces the limits for a free connection and for the first answer. */
  isStarting?: (() => boolean) | undefined;
};

type Client = {
  sql: SingleConnection;
  openedAtMs: number;
  transactions: number;
  idleTimer: NodeJS.Timeout | undefined;
  /** Its connection is closed or given up: nothing may be sent on it any more. */
  isLost: boolean;
};

/** Longer than the driver's own limit for a connection, which begins anew each time a balancer accepts and hangs up. */
const BEGIN_TIMEOUT_MS = 6_000;
/** For each of those while the product starts. Longer than a start waits, so that the start itself says why it ends. */
export const START_TIMEOUT_MS = 240_000;
/** A caller that waits longer for a free connection is better off with an error. */
const ACQUIRE_TIMEOUT_MS = 10_000;
const IDLE_MS = 60_000;
/** A connection that outlives a failover or a password change would be wrong for ever. */
const LIFETIME_MS = 30 * 60_000;

class ConnectionLostError extends Error {
  override readonly name = "ConnectionLostError";
  readonly code = "CONNECTION_CLOSED";
}

/** Never settles: the driver gives up the transaction of a closed connection by itself. */
const NEVER = new Promise<never>(() => undefined);

/** Refuses statements once the connection is gone: the driver would write them to nothing, and end the process. */
function guard(tx: Tx, client: Client): Tx {
  return new Proxy(tx, {
    apply(target, self, args) {
      if (client.isLost) {
        throw new ConnectionLostError("The connection of this transaction is closed.");
      }
      return Reflect.apply(target, self, args);
    },
  });
}

/**
 * A pool for transactions of clients with one connection each, thrown away with it. The driver's own pool (postgres 3.4.9)
 * cannot lose a connection in the middle of a transaction: its rollback is written to a socket that is no more, which ends
 * the process, or is taken for an answer of the next connection, which then hangs (porsager/postgres #1208, #1133, #1216).
 */
export function createTransactionPool(options: TransactionPoolOptions): TransactionPool {
  const clients = new Set<Client>();
  const idle: Client[] = [];
  const waiting: ((client: Client) => void)[] = [];
  let isEnding = false;
  let whenEmpty: (() => void) | undefined;

  function open(): Client {
    const client: Client = {
      sql: options.open(() => drop(client)),
      openedAtMs: performance.now(),
      transactions: 0,
      idleTimer: undefined,
      isLost: false,
    };
    clients.add(client);
    return client;
  }

  function drop(client: Client): void {
    client.isLost = true;
    clearTimeout(client.idleTimer);
    const index = idle.indexOf(client);
    if (index !== -1) {
      idle.splice(index, 1);
    }
    if (!clients.delete(client)) {
      return;
    }
    client.sql.end({ timeout: 0 }).catch(() => undefined);
    const next = isEnding ? undefined : waiting.shift();
    next?.(open());
    if (clients.size === 0) {
      whenEmpty?.();
    }
  }

  const isStarting = (): boolean => options.isStarting?.() === true;

  function limitMs(servingLimitMs: number): number {
    return isStarting() ? START_TIMEOUT_MS : servingLimitMs;
  }

  async function acquire(): Promise<Client> {
    if (isEnding) {
      throw new ConnectionLostError("The connections to the database were closed.");
    }
    const rested = idle.pop();
    if (rested !== undefined) {
      clearTimeout(rested.idleTimer);
      return rested;
    }
    if (clients.size < options.connectionsMax) {
      return open();
    }
    return await new Promise((resolve, reject) => {
      const take = (client: Client): void => {
        clearTimeout(timer);
        resolve(client);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(take), 1);
        reject(new DatabaseTimeoutError("Every connection to the database is in use."));
      }, limitMs(ACQUIRE_TIMEOUT_MS));
      waiting.push(take);
    });
  }

  function release(client: Client): void {
    if (client.isLost) {
      return;
    }
    if (isEnding || performance.now() - client.openedAtMs > LIFETIME_MS) {
      drop(client);
      return;
    }
    const next = waiting.shift();
    if (next !== undefined) {
      next(client);
      return;
    }
    client.idleTimer = setTimeout(() => drop(client), IDLE_MS);
    client.idleTimer.unref();
    idle.push(client);
  }

  /** Gives up a server that does not answer, and what waits on other connections to it: none of them is known to work. */
  function giveUp(client: Client): void {
    drop(client);
    [...idle].forEach(drop);
  }

  /** @throws what `work` throws, or why the connection failed; `onBegin` is called before any work is done. */
  async function runOn<Result>(
    client: Client,
    work: (tx: Tx) => Promise<Result>,
    { timeoutMs, onBegin }: { timeoutMs: number; onBegin: () => void },
  ): Promise<Result> {
    const timers: NodeJS.Timeout[] = [];
    let limitWhole = (): void => undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const expire = () => {
        giveUp(client);
        reject(new DatabaseTimeoutError("The database did not answer in time."));
      };
      timers.push(setTimeout(expire, limitMs(BEGIN_TIMEOUT_MS)));
      limitWhole = () => {
        if (timeoutMs > 0) {
          timers.push(setTimeout(expire, timeoutMs));
        }
      };
    });
    if (!isStarting()) {
      limitWhole();
    }
    // Carried out of the callback because the driver's type rewrites arrays of promises in its result.
    let outcome: { result: Result } | undefined;
    const running = client.sql.begin(async (tx) => {
      clearTimeout(timers[0]);
      if (timers.length === 1) {
        limitWhole();
      }
      onBegin();
      try {
        outcome = { result: await work(guard(tx, client)) };
      } catch (error) {
        await (client.isLost ? NEVER : undefined);
        throw error;
      }
      await (client.isLost ? NEVER : undefined);
    });
    try {
      await Promise.race([running, late]);
    } finally {
      timers.forEach(clearTimeout);
    }
    if (outcome === undefined) {
      throw new Error("The transaction ended without a result.");
    }
    return outcome.result;
  }

  async function transaction<Result>(
    work: (tx: Tx) => Promise<Result>,
    { timeoutMs = options.timeoutMs }: TransactionOptions = {},
  ): Promise<Result> {
    for (;;) {
      const client = await acquire();
      const isNew = client.transactions === 0;
      client.transactions += 1;
      let hasBegun = false;
      try {
        return await runOn(client, work, {
          timeoutMs,
          onBegin: () => {
            hasBegun = true;
          },
        });
      } catch (error) {
        if (!hasBegun) {
          drop(client);
        }
        // A connection may have died while it was idle; a new one shows whether the database is there.
        if (hasBegun || isNew || error instanceof DatabaseTimeoutError) {
          throw error;
        }
      } finally {
        release(client);
      }
    }
  }

  return {
    transaction,
    async end({ timeout } = {}) {
      isEnding = true;
      [...idle].forEach(drop);
      if (clients.size > 0) {
        const empty = new Promise<void>((resolve) => {
          whenEmpty = resolve;
        });
        const cut = () => [...clients].forEach(drop);
        const timer = timeout === undefined ? undefined : setTimeout(cut, timeout * 1_000);
        await empty;
        clearTimeout(timer);
      }
    },
  };
}
