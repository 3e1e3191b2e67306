import type { Clock } from "./clock.ts";
import type { FromJobThread, ToJobThread } from "./job-thread.ts";
import { limitHeap } from "./limit-heap.ts";
import type { Logger } from "./logger.ts";
import { superviseThread } from "./supervise-thread.ts";

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
const STOP_TIMEOUT_MS = 10_000;
/** For what follows the last job: closing connections. */
const CLOSE_TIMEOUT_MS = 2_000;
/** So that a runaway job ends its own thread instead of the process. */
const HEAP_MEGABYTES_MAX = 512;

/** Starts the thread and starts it again whenever it ends by itself. */
export function startJobSupervisor(options: JobSupervisorOptions): JobSupervisor {
  const { clock, logger } = options;
  let heardAtMs: number | undefined;
  let failedCount = 0;
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

  const thread = superviseThread<FromJobThread>({
    name: "the thread of the jobs",
    entry: options.entry,
    data: options.data,
    resourceLimits: limitHeap(HEAP_MEGABYTES_MAX),
    clock,
    logger,
    hear,
    restartDelayMs: options.restartDelayMs,
  });

  async function end(): Promise<void> {
    const timeoutMs = options.stopTimeoutMs ?? STOP_TIMEOUT_MS;
    const message: ToJobThread = { type: "stop", timeoutMs };
    if (!(await thread.stop(message, timeoutMs + CLOSE_TIMEOUT_MS))) {
      logger.warn({}, "jobs did not end in time: they will be tried again");
    }
  }

  return {
    health() {
      const ageMs = heardAtMs === undefined ? null : clock.monotonicMs() - heardAtMs;
      return {
        isAlive: thread.threadId !== undefined && ageMs !== null && ageMs <= HEARTBEAT_LOST_MS,
        lastHeartbeatAgeMs: ageMs,
        failedCount,
        restarts: thread.restarts,
      };
    },
    stop() {
      stopped ??= end();
      return stopped;
    },
  };
}
