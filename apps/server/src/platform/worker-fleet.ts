import type { Clock } from "./clock.ts";
import { limitHeap } from "./limit-heap.ts";
import type { Logger } from "./logger.ts";
import { StartupError } from "./startup-error.ts";
import { type SupervisedThread, superviseThread } from "./supervise-thread.ts";
import type { FromWorker, ToWorker, WorkerFailure } from "./worker-thread.ts";

/** One of several threads that do the same, as the main thread sees it. */
export type WorkerState<Health> = {
  /** From 1; a thread that takes the place of a dead one has its number. */
  worker: number;
  /** True while it was heard within the last 10 s. */
  isAlive: boolean;
  /** Times it ended by itself and was started again. */
  restarts: number;
  /** What it last said of itself; undefined before the first time. */
  health: Health | undefined;
};

export interface WorkerFleet<Health> {
  states(): WorkerState<Health>[];
  /** Ends all of them; each may take `timeoutMs` for what is under way. */
  stop(timeoutMs: number): Promise<void>;
}

export type WorkerFleetOptions<Health, News> = {
  /** Module that each thread runs. */
  entry: URL;
  /** `workerData` of each. */
  data: readonly unknown[];
  clock: Pick<Clock, "monotonicMs">;
  logger: Pick<Logger, "warn" | "error">;
  /** Takes the threads' log lines, each with its line end. */
  writeLog(line: string): void;
  /** What all of them get every second. */
  news(states: WorkerState<Health>[]): News;
  /** Called when a thread has ended, before another one takes its number. */
  onEnd(worker: number): void;
  /** So that a thread that hoards ends itself and not the process; left out: Node decides. */
  heapMegabytesMax?: number | undefined;
  /** A thread that says nothing for so long hangs, and is ended. Default 30. */
  silentSecondsMax?: number | undefined;
  /** Wait before the first restart; doubles to half a minute. Default 500. */
  restartDelayMs?: number | undefined;
};

const NEWS_INTERVAL_MS = 1_000;
const HEARTBEAT_LOST_MS = 10_000;
const SILENT_SECONDS_MAX = 30;

function toError({ message, code, hint }: WorkerFailure): Error {
  return code === undefined || hint === undefined
    ? new Error(message)
    : new StartupError({ code, message, hint });
}

/**
 * Starts the threads and resolves when all of them are ready. From then on one that ends by itself is started again.
 *
 * @throws What the first of them reported that could not start; then none runs any more.
 */
export async function startWorkerFleet<Health, News>(
  options: WorkerFleetOptions<Health, News>,
): Promise<WorkerFleet<Health>> {
  const { clock, logger } = options;
  const started = Promise.withResolvers<void>();
  let waitingFor = options.data.length;

  function superviseOne(data: unknown, index: number) {
    const worker = index + 1;
    let heardAtMs: number | undefined;
    let health: Health | undefined;
    let isReady = false;
    /** Counted by our own timer, so that the sleep of a machine is no silence. */
    let silentTicks = 0;

    function hear(message: FromWorker<Health>): void {
      const isServing = message.type === "ready" || message.type === "heartbeat";
      heardAtMs = isServing ? clock.monotonicMs() : heardAtMs;
      silentTicks = 0;
      switch (message.type) {
        case "log":
          options.writeLog(message.line);
          return;
        case "starting":
          return;
        case "heartbeat":
          ({ health } = message);
          return;
        case "failed":
          logger.error({ worker, reason: message.failure.message }, "a worker could not start");
          started.reject(toError(message.failure));
          return;
        case "ready":
          waitingFor -= isReady ? 0 : 1;
          isReady = true;
          if (waitingFor === 0) {
            started.resolve();
          }
          return;
      }
    }

    const thread = superviseThread<FromWorker<Health>>({
      name: `worker ${String(worker)}`,
      entry: options.entry,
      data,
      clock,
      logger,
      hear,
      ...(options.heapMegabytesMax === undefined
        ? {}
        : { resourceLimits: limitHeap(options.heapMegabytesMax) }),
      onEnd: () => {
        silentTicks = 0;
        health = undefined;
        heardAtMs = undefined;
        options.onEnd(worker);
        if (!isReady) {
          started.reject(new Error(`Worker ${String(worker)} ended before it was ready.`));
        }
      },
      restartDelayMs: options.restartDelayMs,
    });
    const state = (): WorkerState<Health> => ({
      worker,
      isAlive: heardAtMs !== undefined && clock.monotonicMs() - heardAtMs <= HEARTBEAT_LOST_MS,
      restarts: thread.restarts,
      health,
    });
    function watch(): void {
      silentTicks += 1;
      if (isReady && silentTicks > (options.silentSecondsMax ?? SILENT_SECONDS_MAX)) {
        silentTicks = 0;
        logger.error({ worker }, "a worker hangs and is ended");
        thread.kill();
      }
    }

    return { thread, state, watch };
  }

  const all = options.data.map(superviseOne);
  const states = () => all.map(({ state }) => state());

  async function stop(timeoutMs: number): Promise<void> {
    clearInterval(timer);
    const message: ToWorker<News> = { type: "stop" };
    const stopOne = async ({ thread }: { thread: SupervisedThread }, index: number) => {
      if (!(await thread.stop(message, timeoutMs))) {
        logger.warn({ worker: index + 1 }, "a worker did not end in time: the next start goes on");
      }
    };
    await Promise.all(all.map(stopOne));
  }

  function tellNews(): void {
    const message: ToWorker<News> = { type: "news", news: options.news(states()) };
    for (const { thread, watch } of all) {
      thread.post(message);
      watch();
    }
  }

  const timer = setInterval(tellNews, NEWS_INTERVAL_MS);
  try {
    await started.promise;
  } catch (error) {
    await stop(0);
    throw error;
  }
  tellNews();
  return { states, stop };
}
