import { randomUUID } from "node:crypto";
import type { ConnectionTarget, Tx } from "@turnpike/db/client";
import { PgBoss, type Queue } from "pg-boss";
import type { JobDefinition } from "./define-job.ts";
import { GRANT_ENQUEUE, toQueueConnection, toQueueDatabase } from "./jobs.store.ts";
import type { Logger } from "./logger.ts";
import { describeWait, toDatabaseError } from "./open-database.ts";
import { queueClock } from "./queue-clock.ts";
import { waitAtStart } from "./start-wait.ts";

export type EnqueueOptions = {
  /** A transaction of the operator role: the job exists if and only if it commits. */
  tx?: Tx;
  /** While a job with this key waits, another one is not added. */
  singletonKey?: string;
  /** Not before. */
  startAfter?: Date;
  /** Jobs of a higher one run first, those of the same in the order in which they came. Default 0. */
  priority?: number;
};

/** Takes work that may be done later, by any process, at least once. */
export interface JobQueue {
  enqueue<Payload extends object>(
    job: JobDefinition<Payload>,
    payload: Payload,
    options?: EnqueueOptions,
  ): Promise<void>;
}

/** The queue settings of a job: the same in every process, as any may create the queue first. */
export function toQueueOptions(
  definition: Omit<JobDefinition<object>, "schema">,
): Omit<Queue, "name"> {
  return {
    // At most one job waits for each singleton key; the others get a key of their own.
    policy: "short",
    notify: true,
    retryLimit: definition.retryLimit,
    retryDelay: definition.retryDelaySeconds,
    retryDelayMax: definition.retryDelaySecondsMax,
    retryBackoff: true,
    expireInSeconds: definition.expireInSeconds,
    ...(definition.heartbeatSeconds === undefined
      ? {}
      : { heartbeatSeconds: definition.heartbeatSeconds }),
    deleteAfterSeconds: KEEP_DONE_SECONDS,
  };
}

const KEEP_DONE_SECONDS = 3 * 24 * 60 * 60;
/** Enqueueing without a transaction, and the library's own look at its queues. */
const CONNECTIONS_MAX = 2;
/** Longer than a start waits, which ends first and says why. */
const CONNECT_TIMEOUT_MS = 240_000;

type OpenJobQueueOptions = {
  target: ConnectionTarget;
  logger: Pick<Logger, "info" | "warn">;
  /** True where another thread of this process has brought the tables up to date: several cannot do that at once. */
  isPrepared?: boolean;
};

async function startSender(options: OpenJobQueueOptions): Promise<PgBoss> {
  const boss = new PgBoss({
    ...toQueueConnection(options.target, CONNECTIONS_MAX),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    clock: queueClock,
    supervise: false,
    schedule: false,
    migrate: options.isPrepared !== true,
  });
  boss.on("error", (error) => {
    options.logger.warn({ err: error }, "the job queue reports an error");
  });
  await boss.start();
  if (options.isPrepared !== true) {
    await boss.getDb().executeSql(GRANT_ENQUEUE);
  }
  return boss;
}

/**
 * Opens the sending side of the queue and brings the queue's tables up to date. It runs nothing.
 *
 * @throws {StartupError} `DATABASE_UNREACHABLE` when the database cannot be reached or the tables cannot be made.
 */
export async function openJobQueue(
  options: OpenJobQueueOptions,
): Promise<JobQueue & { close(): Promise<void> }> {
  const boss = await waitAtStart(describeWait(options), () => startSender(options)).catch(
    (error: unknown) => {
      throw toDatabaseError(error, options.target);
    },
  );
  const made = new Map<string, Promise<void>>();

  function ensureQueue(job: Omit<JobDefinition<object>, "schema">): Promise<void> {
    const known = made.get(job.name);
    if (known !== undefined) {
      return known;
    }
    const making = boss.createQueue(job.name, toQueueOptions(job)).catch((error: unknown) => {
      made.delete(job.name);
      throw error;
    });
    made.set(job.name, making);
    return making;
  }

  return {
    async enqueue(job, payload, options = {}) {
      await ensureQueue(job);
      await boss.send(job.name, payload, {
        singletonKey: options.singletonKey ?? randomUUID(),
        ...(options.startAfter === undefined ? {} : { startAfter: options.startAfter }),
        ...(options.priority === undefined ? {} : { priority: options.priority }),
        ...(options.tx === undefined ? {} : { db: toQueueDatabase(options.tx) }),
      });
    },
    close: () => boss.stop({ graceful: false }),
  };
}
