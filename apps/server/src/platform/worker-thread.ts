import { parentPort } from "node:worker_threads";
import type { Logger } from "./logger.ts";
import { createLogger } from "./logger.ts";
import { StartupError, type StartupErrorCode } from "./startup-error.ts";

/** Why a worker did not start; with `code` and `hint` when the person at the terminal can do something about it. */
export type WorkerFailure = { message: string; code?: StartupErrorCode; hint?: string };

/** What a worker tells the main thread. */
export type FromWorker<Health> =
  | { type: "log"; line: string }
  /** It opens what it needs, which may take minutes after a crash: what was left behind is committed first. */
  | { type: "starting" }
  | { type: "ready" }
  | { type: "failed"; failure: WorkerFailure }
  | { type: "heartbeat"; health: Health };

/** What the main thread tells a worker. */
export type ToWorker<News> = { type: "stop" } | { type: "news"; news: News };

const HEARTBEAT_INTERVAL_MS = 1_000;

function tell(message: FromWorker<unknown>): void {
  parentPort?.postMessage(message);
}

/** A logger whose lines are written by the main thread, each with the number of its worker. */
export function createWorkerLogger(level: string, worker: number): Logger {
  const destination = { write: (line: string) => tell({ type: "log", line }) };
  return createLogger({ level, destination }).child({ worker });
}

function toFailure(error: unknown): WorkerFailure {
  return error instanceof StartupError
    ? { message: error.message, code: error.code, hint: error.hint }
    : { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/**
 * Runs a worker until the main thread says stop.
 *
 * @param input.start - Opens everything; what it throws is handed to the main thread, and the thread ends.
 */
export async function runWorkerThread<News, Health>(input: {
  logger: Logger;
  hearNews(news: News): void;
  start(): Promise<{ health(): Health; stop(): Promise<void> }>;
}): Promise<void> {
  let stop: (() => Promise<void>) | undefined;
  let isStopping = false;
  let timer = setInterval(() => tell({ type: "starting" }), HEARTBEAT_INTERVAL_MS);

  function end(): void {
    clearInterval(timer);
    (stop?.() ?? Promise.resolve())
      .catch((error: unknown) =>
        input.logger.error({ err: error }, "a worker did not stop cleanly"),
      )
      .finally(() => process.exit(0));
  }

  parentPort?.on("message", (message: ToWorker<News>) => {
    if (message.type === "news") {
      input.hearNews(message.news);
    } else {
      isStopping = true;
      if (stop !== undefined) {
        end();
      }
    }
  });
  try {
    const running = await input.start();
    stop = running.stop;
    const beat = () => tell({ type: "heartbeat", health: running.health() });
    clearInterval(timer);
    timer = setInterval(beat, HEARTBEAT_INTERVAL_MS);
    beat();
    tell({ type: "ready" });
  } catch (error) {
    tell({ type: "failed", failure: toFailure(error) });
    // Ends this thread alone, with all that was opened by then.
    process.exit(1);
  }
  if (isStopping) {
    end();
  }
}
