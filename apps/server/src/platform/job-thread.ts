import { parentPort } from "node:worker_threads";
import { type JobRunnerOptions, startJobRunner } from "./job-runner.ts";
import { createLogger, type Logger } from "./logger.ts";
import { yieldThreadToCalls } from "./yield-to-calls.ts";

/** What the thread of the jobs tells the thread that serves. */
export type FromJobThread =
  | { type: "log"; line: string }
  | { type: "ready" }
  | { type: "heartbeat"; failedCount: number };

/** The only message that it gets. */
export type ToJobThread = { type: "stop"; timeoutMs: number };

const HEARTBEAT_INTERVAL_MS = 1_000;
/** Counting asks the database; the numbers are as fresh as the supervision of the queues. */
const COUNT_EVERY_SECONDS = 10;

function tell(message: FromJobThread): void {
  parentPort?.postMessage(message);
}

/** A logger whose lines are written by the parent, so that they do not mix with its own inside a line. */
export function createThreadLogger(level: string): Logger {
  return createLogger({ level, destination: { write: (line) => tell({ type: "log", line }) } });
}

/**
 * Runs jobs in this thread until the parent says stop.
 *
 * @param input.close - Releases what the jobs used; called after the last of them.
 */
export async function runJobThread(
  input: JobRunnerOptions & { close(): Promise<void> },
): Promise<void> {
  const { logger, superviseSeconds = COUNT_EVERY_SECONDS } = input;
  yieldThreadToCalls();
  const runner = await startJobRunner(input);
  let failedCount = 0;
  let beats = 0;

  async function beat(): Promise<void> {
    if (beats % superviseSeconds === 0) {
      failedCount = await runner.countFailed();
    }
    beats += 1;
    tell({ type: "heartbeat", failedCount });
  }

  function beatLogged(): void {
    // While the database is away nothing can run: no heartbeat is the truth.
    beat().catch((error: unknown) => logger.warn({ err: error }, "failed jobs cannot be counted"));
  }

  const timer = setInterval(beatLogged, HEARTBEAT_INTERVAL_MS);
  beatLogged();
  parentPort?.once("message", (message: ToJobThread) => {
    clearInterval(timer);
    runner
      .stop(message.timeoutMs)
      .then(input.close)
      .catch((error: unknown) => logger.error({ err: error }, "jobs did not stop cleanly"))
      .finally(() => parentPort?.close());
  });
  tell({ type: "ready" });
}
