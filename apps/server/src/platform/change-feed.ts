import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createBell, waitFor, withTimeout } from "./bounded-wait.ts";
import {
  type ChangeKind,
  type ChangePage,
  deleteChangesBefore,
  notifyChangesChannel,
  readChanges,
  readNewestChange,
} from "./changes.store.ts";
import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";
import type { Listen } from "./postgres-listen.ts";
import type { Transact } from "./transact.ts";

/** A change made by any process, or `reset`: some changes were missed, so drop what is cached. */
export type Change =
  | { kind: ChangeKind; tenantId: string | null; entityId: string; revision: bigint }
  | { kind: "reset" };

export type ChangeListener = (change: Change) => void;

/** Delivers every committed change to this process, in order, within a second. */
export interface ChangeFeed {
  /** Subscribes to every change committed after the call. @returns What ends the subscription. */
  subscribe(listener: ChangeListener): () => void;
  /** Finds the current position and begins. @throws What the database answers when it cannot be read. */
  start(): Promise<void>;
  /** Ends it; resolves when nothing runs any more. Idempotent. */
  stop(): Promise<void>;
  /** Up to which change this process has heard. */
  readonly revision: bigint;
  /** Of the monotonic clock, when the database last answered. Before the start, minus infinity. */
  readonly lastHeardMs: number;
  /** True when caches can no longer be trusted to be at most a second old: the database was silent for 3 s. */
  isStale(): boolean;
  /** False while wake-ups do not arrive and only polling carries the changes. */
  isWokenUp(): boolean;
}

export type ChangeFeedDeps = {
  transact: Pick<Transact, "asOperator">;
  /** Subscribes to the channel `turnpike_changes`. */
  listen: Listen;
  clock: Clock;
  logger: Pick<Logger, "warn" | "info" | "error">;
  /** How to wait between two polls. For tests; default: by the timers of the process. */
  waitFor?: typeof waitFor;
};

export const CHANGES_CHANNEL = "turnpike_changes";
/** Twice a second, so that a change is heard within one even when every wake-up is lost. */
const POLL_INTERVAL_MS = 500;
/** While wake-ups are known to be lost. */
const POLL_INTERVAL_ALONE_MS = 250;
/** A connection whose other end is gone would otherwise hold the feed for as long as the kernel waits. */
const DATABASE_TIMEOUT_MS = 2_000;
const STALE_AFTER_MS = 3_000;
const SELF_TEST_INTERVAL_MS = 10_000;
const SELF_TEST_TIMEOUT_MS = 1_000;
const BATCH_SIZE = 1_000;
const RETENTION_MS = 24 * 60 * 60 * 1_000;

/** Deletes changes older than a day. @returns Rows deleted. */
export async function pruneChanges(deps: {
  transact: Pick<Transact, "asOperator">;
  clock: Clock;
}): Promise<number> {
  const before = new Date(deps.clock.now().getTime() - RETENTION_MS);
  return await deps.transact.asOperator((tx) => deleteChangesBefore(tx, before));
}

/**
 * Polls the table of changes by revision. `LISTEN` only shortens the wait, and is tested by a message to ourselves: behind
 * a pooler in transaction mode it is accepted and stays silent.
 */
export function createChangeFeed(deps: ChangeFeedDeps): ChangeFeed {
  const { clock, logger, waitFor: wait = waitFor } = deps;
  const listeners = new Set<ChangeListener>();
  const stopping = new AbortController();
  const bell = createBell();
  let position = 0n;
  let lastHeardMs = Number.NEGATIVE_INFINITY;
  let running: Promise<unknown> | undefined;
  const wakeUps = createWakeUps({ ...deps, signal: stopping.signal, onWakeUp: bell.ring });

  function callListeners(change: Change): void {
    for (const listener of listeners) {
      try {
        listener(change);
      } catch (error) {
        logger.error({ err: error, kind: change.kind }, "a listener to changes failed");
      }
    }
  }

  function apply(page: ChangePage): void {
    lastHeardMs = clock.monotonicMs();
    const wentBack = page.newestRevision < position;
    if (wentBack || page.prunedRevision > position) {
      logger.warn(
        { position: String(position), wentBack },
        "changes were missed: caches are dropped",
      );
      position = wentBack ? page.newestRevision : page.prunedRevision;
      callListeners({ kind: "reset" });
    }
    for (const row of page.rows) {
      position = row.revision > position ? row.revision : position;
      callListeners({
        kind: row.kind,
        tenantId: row.tenant_id,
        entityId: row.entity_id,
        revision: row.revision,
      });
    }
  }

  async function poll(): Promise<void> {
    let hasMore = true;
    while (hasMore && !stopping.signal.aborted) {
      const page = await withTimeout(
        deps.transact.asOperator((tx) => readChanges(tx, position, BATCH_SIZE)),
        DATABASE_TIMEOUT_MS,
      );
      apply(page);
      hasMore = page.rows.length === BATCH_SIZE;
    }
  }

  async function run(): Promise<void> {
    let isFailing = false;
    while (!stopping.signal.aborted) {
      const heard = bell.next();
      try {
        await poll();
        if (isFailing) {
          logger.info({}, "changes are heard again");
        }
        isFailing = false;
      } catch (error) {
        if (!isFailing) {
          logger.warn({ err: error }, "changes cannot be read");
        }
        isFailing = true;
      }
      await wait({
        heard,
        timeoutMs: wakeUps.areHeard() ? POLL_INTERVAL_MS : POLL_INTERVAL_ALONE_MS,
        signal: stopping.signal,
      });
    }
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async start() {
      if (running !== undefined) {
        return;
      }
      // No limit of its own: a start waits for a slow database as long as its pool does.
      position = await deps.transact.asOperator(readNewestChange);
      lastHeardMs = clock.monotonicMs();
      running = Promise.all([run(), wakeUps.run()]);
    },
    async stop() {
      stopping.abort();
      await running;
    },
    get revision() {
      return position;
    },
    get lastHeardMs() {
      return lastHeardMs;
    },
    isStale: () => clock.monotonicMs() - lastHeardMs > STALE_AFTER_MS,
    isWokenUp: () => wakeUps.areHeard(),
  };
}

/** Keeps a subscription open and proves every ten seconds that it works; opens another when it does not. */
function createWakeUps(input: ChangeFeedDeps & { signal: AbortSignal; onWakeUp: () => void }): {
  areHeard(): boolean;
  run(): Promise<void>;
} {
  const { signal, logger } = input;
  const token = `test:${randomBytes(8).toString("hex")}`;
  const answers = createBell();
  let areHeard = false;

  function onPayload(payload: string): void {
    if (payload === token) {
      answers.ring();
    } else if (!payload.startsWith("test:")) {
      input.onWakeUp();
    }
  }

  async function isAnswering(): Promise<boolean> {
    const heard = answers.next();
    await withTimeout(
      input.transact.asOperator((tx) => notifyChangesChannel(tx, token)),
      DATABASE_TIMEOUT_MS,
    );
    return await waitFor({ heard, timeoutMs: SELF_TEST_TIMEOUT_MS, signal });
  }

  async function keepOpen(): Promise<void> {
    const subscription = await withTimeout(input.listen(onPayload), DATABASE_TIMEOUT_MS, (late) =>
      late.close(),
    );
    try {
      while (!signal.aborted && (await isAnswering())) {
        areHeard = true;
        await delay(SELF_TEST_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      areHeard = false;
      await subscription.close().catch(() => undefined);
    }
  }

  return {
    areHeard: () => areHeard,
    async run() {
      while (!signal.aborted) {
        const reason = await keepOpen().then(
          () => undefined,
          (error: unknown) => error,
        );
        if (!signal.aborted) {
          logger.warn({ err: reason }, "wake-ups for changes do not arrive: polling more often");
          await delay(SELF_TEST_TIMEOUT_MS, undefined, { signal }).catch(() => undefined);
        }
      }
    },
  };
}
