import { setTimeout as delay } from "node:timers/promises";
import { type ResourceLimits, Worker } from "node:worker_threads";
import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";

/** A worker thread that is started again whenever it ends by itself. */
export interface SupervisedThread {
  /** Of the thread that runs now; undefined between two. */
  readonly threadId: number | undefined;
  /** Times the thread ended by itself and was started again. */
  readonly restarts: number;
  /** Tells the thread something; nothing happens between two. */
  post(message: unknown): void;
  /** Ends a thread that cannot be talked to any more; another one takes its place. */
  kill(): void;
  /**
   * Tells the thread to end, and waits for that.
   *
   * @returns False when it did not within `timeoutMs`, and was ended.
   */
  stop(message: unknown, timeoutMs: number): Promise<boolean>;
}

export type SuperviseThreadOptions<Heard> = {
  /** What the log calls it, such as `the thread of the jobs`. */
  name: string;
  /** Module that the thread runs. */
  entry: URL;
  /** Given to it as `workerData`. */
  data: unknown;
  resourceLimits?: ResourceLimits;
  clock: Pick<Clock, "monotonicMs">;
  logger: Pick<Logger, "warn" | "error">;
  hear(message: Heard): void;
  /** Called at the end of each thread, before another one is started. */
  onEnd?(): void;
  /** Wait before the first restart; doubles to half a minute. Default 500. */
  restartDelayMs?: number | undefined;
};

const RESTART_DELAY_MS = 500;
const RESTART_DELAY_MAX_MS = 30_000;
/** A thread that lived so long did not fail at its start. */
const STEADY_AFTER_MS = 60_000;

/** Starts the thread and starts it again whenever it ends by itself. */
export function superviseThread<Heard>(options: SuperviseThreadOptions<Heard>): SupervisedThread {
  const { name, clock, logger } = options;
  const stopping = new AbortController();
  let worker: Worker | undefined;
  let restarts = 0;

  /** Resolves when the thread has ended, for any reason. */
  function runThread(): Promise<void> {
    return new Promise((resolve) => {
      const thread = new Worker(options.entry, {
        workerData: options.data,
        ...(options.resourceLimits === undefined ? {} : { resourceLimits: options.resourceLimits }),
      });
      worker = thread;
      thread.on("message", (message: Heard) => options.hear(message));
      thread.on("error", (error) => logger.error({ err: error }, `${name} crashed`));
      thread.once("exit", () => {
        worker = undefined;
        options.onEnd?.();
        resolve();
      });
    });
  }

  async function supervise(): Promise<void> {
    const first = options.restartDelayMs ?? RESTART_DELAY_MS;
    let waitMs = first;
    while (!stopping.signal.aborted) {
      const startedAtMs = clock.monotonicMs();
      await runThread();
      if (stopping.signal.aborted) {
        return;
      }
      waitMs = clock.monotonicMs() - startedAtMs > STEADY_AFTER_MS ? first : waitMs;
      restarts += 1;
      logger.warn({ restarts, waitMs }, `${name} ended and is started again`);
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      waitMs = Math.min(waitMs * 2, RESTART_DELAY_MAX_MS);
    }
  }

  const supervising = supervise();

  return {
    get threadId() {
      return worker?.threadId;
    },
    get restarts() {
      return restarts;
    },
    post(message) {
      worker?.postMessage(message);
    },
    kill() {
      void worker?.terminate();
    },
    async stop(message, timeoutMs) {
      stopping.abort();
      worker?.postMessage(message);
      const done = new AbortController();
      const overdue = delay(timeoutMs, true, { signal: done.signal }).catch(() => false);
      const isOverdue = await Promise.race([supervising.then(() => false), overdue]);
      done.abort();
      if (isOverdue) {
        await worker?.terminate();
        await supervising;
      }
      return !isOverdue;
    },
  };
}
