import type postgres from "postgres";
import { DatabaseTimeoutError } from "./database-errors.ts";

/** Types that cross the wire: `bigint` columns arrive as `bigint`, `numeric` ones as exact decimal strings. */
export type WireTypes = { bigint: bigint };

type SingleConnection = postgres.Sql<WireTypes>;
type Tx = postgres.TransactionSql<WireTypes>;

export type TransactionOptions = {
  /** Milliseconds for the whole transaction; 0 for no limit. Default: the pool's. */
  timeoutMs?: number;
  /**
   * Whose share of the connections it takes: a tenant. One holder leaves as many connections free as it has, so the first
   * transaction of another one seldom waits. Left out for what serves all: it takes any free connection, and comes first.
   */
  holder?: string;
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

/** A transaction without a connection. `turn` counts up in the order of arrival. */
type Waiting = { holder: string | undefined; turn: number; take(client: Client): void };

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
  /** By holder, each in the order of arrival, which a Set keeps; none is empty. */
  const waiting = new Map<string | undefined, Set<Waiting>>();
  /** Connections of each holder; none has an entry of 0. */
  const held = new Map<string, number>();
  let taken = 0;
  let turns = 0;
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
    if (clients.size === 0) {
      whenEmpty?.();
    }
  }

  const isStarting = (): boolean => options.isStarting?.() === true;

  function limitMs(servingLimitMs: number): number {
    return isStarting() ? START_TIMEOUT_MS : servingLimitMs;
  }

  function mayTake(holder: string | undefined): boolean {
    const free = options.connectionsMax - taken;
    const own = holder === undefined ? 0 : (held.get(holder) ?? 0);
    // With the one that is taken: no more than stay free.
    return own === 0 ? free > 0 : own + 1 <= free - 1;
  }

  function count(holder: string | undefined, change: 1 | -1): void {
    taken += change;
    if (holder === undefined) {
      return;
    }
    const own = (held.get(holder) ?? 0) + change;
    if (own === 0) {
      held.delete(holder);
    } else {
      held.set(holder, own);
    }
  }

  /** Takes a permit, which {@link release} gives back. */
  function take(holder: string | undefined): Client {
    count(holder, 1);
    const rested = idle.pop();
    if (rested === undefined) {
      return open();
    }
    clearTimeout(rested.idleTimer);
    return rested;
  }

  function leave(one: Waiting): void {
    const queue = waiting.get(one.holder);
    queue?.delete(one);
    if (queue?.size === 0) {
      waiting.delete(one.holder);
    }
  }

  async function acquire(holder: string | undefined): Promise<Client> {
    if (isEnding) {
      throw new ConnectionLostError("The connections to the database were closed.");
    }
    if (mayTake(holder)) {
      return take(holder);
    }
    return await new Promise((resolve, reject) => {
      const one: Waiting = {
        holder,
        turn: turns,
        take: (client) => {
          clearTimeout(timer);
          resolve(client);
        },
      };
      const timer = setTimeout(() => {
        leave(one);
        reject(new DatabaseTimeoutError("Every connection to the database is in use."));
      }, limitMs(ACQUIRE_TIMEOUT_MS));
      turns += 1;
      const queue = waiting.get(holder);
      if (queue === undefined) {
        waiting.set(holder, new Set([one]));
      } else {
        queue.add(one);
      }
    });
  }

  /** The next that may have a connection: what serves all, else of the holder with the fewest, else who came first. */
  function findNext(): Waiting | undefined {
    let next: Waiting | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const [holder, queue] of waiting) {
      const own = holder === undefined ? -1 : (held.get(holder) ?? 0);
      if (own > fewest || !mayTake(holder)) {
        continue;
      }
      const [first] = queue;
      if (first !== undefined && (next === undefined || own < fewest || first.turn < next.turn)) {
        next = first;
        fewest = own;
      }
    }
    return next;
  }

  function serveWaiting(): void {
    for (let next = findNext(); next !== undefined && !isEnding; next = findNext()) {
      leave(next);
      next.take(take(next.holder));
    }
  }

  function release(client: Client, holder: string | undefined): void {
    count(holder, -1);
    if (!client.isLost) {
      if (isEnding || performance.now() - client.openedAtMs > LIFETIME_MS) {
        drop(client);
      } else {
        client.idleTimer = setTimeout(() => drop(client), IDLE_MS);
        client.idleTimer.unref();
        idle.push(client);
      }
    }
    serveWaiting();
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
    { timeoutMs = options.timeoutMs, holder }: TransactionOptions = {},
  ): Promise<Result> {
    for (;;) {
      const client = await acquire(holder);
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
        release(client, holder);
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
