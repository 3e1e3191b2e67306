import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Clock } from "./clock.ts";
import type { FromJobThread, ToJobThread } from "./job-thread.ts";
import type { Logger } from "./logger.ts";

export type JobsHealth = {
  /** True while the thread runs and was heard within the last 10 s. */
  isAlive: boolean;
  /** Since the last sign of life; null before the first. */
  lastHeartbeatAgeMs: number | null;
  /** Jobs that used up their attempts and are still kept. */
  failedCount: number;
  /** Times the thread died and was started again. */
  restarts: number;
};

/** A worker thread that runs the jobs: heavy work never delays a call, and its crash ends nothing but itself. */
export interface JobSupervisor {
  health(): JobsHealth;
  /** Waits for running jobs up to the limit, then ends the thread. Idempotent. */
  stop(): Promise<void>;
}

export type JobSupervisorOptions = {
  /** Module that the thread runs. */
  entry: URL;
  /** Given to it as `workerData`. */
  data: unknown;
  clock: Clock;
  logger: Pick<Logger, "warn" | "error" | "info">;
  /** Takes the thread's log lines, each with its line end. */
  writeLog(line: string): void;
  /** For running jobs at stop. Default 10,000. */
  stopTimeoutMs?: number;
  /** Wait before the first restart; doubles to half a minute. Default 500. */
  restartDelayMs?: number;
};

const HEARTBEAT_LOST_MS = 10_000;
const RESTART_DELAY_MS = 500;
const RESTART_DELAY_MAX_MS = 30_000;
/** A thread that lived so long did not fail at its start. */
const STEADY_AFTER_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
/** For what follows the last job: closing connections. */
const CLOSE_TIMEOUT_MS = 2_000;
/** So that a runaway job ends its own thread instead of the process. */
const HEAP_MEGABYTES_MAX = 512;

/** Starts the thread and starts it again whenever it ends by itself. */
export function startJobSupervisor(options: JobSupervisorOptions): JobSupervisor {
  const { clock, logger } = options;
  const stopping = new AbortController();
  let worker: Worker | undefined;
  let heardAtMs: number | undefined;
  let failedCount = 0;
  let restarts = 0;
  let stopped: Promise<void> | undefined;

  function hear(message: FromJobThread): void {
    switch (message.type) {
      case "log":
        options.writeLog(message.line);
        return;
      case "heartbeat":
        failedCount = message.failedCount;
        heardAtMs = clock.monotonicMs();
        return;
      case "ready":
        heardAtMs = clock.monotonicMs();
        return;
    }
  }

  /** Resolves when the thread has ended, for whatever reason. */
  function runThread(): Promise<void> {
    return new Promise((resolve) => {
      const thread = new Worker(options.entry, {
        workerData: options.data,
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES_MAX },
      });
      worker = thread;
      thread.on("message", hear);
      thread.on("error", (error) => logger.error({ err: error }, "the thread of the jobs crashed"));
      thread.once("exit", () => {
        worker = undefined;
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
      logger.warn({ restarts, waitMs }, "the thread of the jobs ended and is started again");
      await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      waitMs = Math.min(waitMs * 2, RESTART_DELAY_MAX_MS);
    }
  }

  const supervising = supervise();

  async function end(): Promise<void> {
    stopping.abort();
    const timeoutMs = options.stopTimeoutMs ?? STOP_TIMEOUT_MS;
    const message: ToJobThread = { type: "stop", timeoutMs };
    worker?.postMessage(message);
    const done = new AbortController();
    const overdue = delay(timeoutMs + CLOSE_TIMEOUT_MS, true, { signal: done.signal }).catch(
      () => false,
    );
    const isOverdue = await Promise.race([supervising.then(() => false), overdue]);
    done.abort();
    if (isOverdue) {
      logger.warn({}, "jobs did not end in time: they will be tried again");
      await worker?.terminate();
      await supervising;
    }
  }

  return {
    health() {
      const ageMs = heardAtMs === undefined ? null : clock.monotonicMs() - heardAtMs;
      return {
        isAlive: worker !== undefined && ageMs !== null && ageMs <= HEARTBEAT_LOST_MS,
        lastHeartbeatAgeMs: ageMs,
        failedCount,
        restarts,
      };
    },
    stop() {
      stopped ??= end();
      return stopped;
    },
  };
}
