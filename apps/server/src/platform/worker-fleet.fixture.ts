import { setTimeout as delay } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import { StartupError } from "./startup-error.ts";
import { createWorkerLogger, runWorkerThread } from "./worker-thread.ts";

/** How a thread of the test behaves. */
export type FleetFixtureData = {
  worker: number;
  how: "well" | "refuses" | "throws" | "never ends" | "comes back late";
  /** Threads that have started under this number. */
  starts: Int32Array<SharedArrayBuffer>;
};

/** Longer than the tests let a thread be silent. */
const LATE_MS = 6_000;

/** What the main thread may tell it: to hang (one that comes back late ends instead), or nothing. */
export type FleetFixtureNews = { hangs: number | undefined };

const { worker, how, starts } = workerData as FleetFixtureData;
const isFirst = Atomics.add(starts, 0, 1) === 0;
const logger = createWorkerLogger("info", worker);

function hang(): never {
  for (;;) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
}

await runWorkerThread<FleetFixtureNews, { worker: number }>({
  logger,
  hearNews: (news) => {
    if (news.hangs === worker && how === "comes back late") {
      process.exit(1);
    } else if (news.hangs === worker) {
      hang();
    }
  },
  start: async () => {
    if (how === "comes back late" && !isFirst) {
      await delay(LATE_MS);
    }
    if (how === "refuses") {
      const hint = "Fix it";
      return Promise.reject(new StartupError({ code: "PORT_TAKEN", message: "No", hint }));
    }
    if (how === "throws") {
      setImmediate(() => {
        throw new Error("at its start");
      });
      return new Promise(() => undefined);
    }
    logger.info({}, "started");
    return Promise.resolve({
      health: () => ({ worker }),
      stop: () => (how === "never ends" ? new Promise<void>(() => undefined) : Promise.resolve()),
    });
  },
});
