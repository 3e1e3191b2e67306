import { createTaskThread, type TaskThread } from "#platform/task-thread.ts";
import { FORECAST_WORK, type ForecastWork } from "./forecast-work.ts";
import { createHourCache, type HourCache } from "./hour-cache.ts";
import type { ReadDays } from "./read-days.ts";

type Of = keyof ForecastWork;
type InputOf<Kind extends Of> = Parameters<ForecastWork[Kind]>[0];
type ResultOf<Kind extends Of> = ReturnType<ForecastWork[Kind]>;
export type ForecastTask = { [Kind in Of]: { of: Kind; input: InputOf<Kind> } }[Of];

/** Where forecasts are computed, and the days that they are made from. */
export type Forecaster = {
  run<Kind extends Of>(of: Kind, input: InputOf<Kind>): Promise<ResultOf<Kind>>;
  days: HourCache<ReadDays>;
};

const WAITING_MAX = 50;
const TIMEOUT_MS = 30_000;
const IDLE_MS = 30_000;
/** Tenants and time zones whose days are kept: a few kilobytes each. */
const CACHED_MAX = 500;

export function doForecastTask({ of, input }: ForecastTask): Promise<unknown> {
  const work: (input: never) => unknown = FORECAST_WORK[of];
  return Promise.resolve(work(input as never));
}

function createWith(run: (task: ForecastTask) => Promise<unknown>): Forecaster {
  return {
    run: async (of, input) => (await run({ of, input } as ForecastTask)) as never,
    days: createHourCache(CACHED_MAX),
  };
}

/** In the thread of the caller: for jobs, which have one of their own. */
export function createForecasterHere(): Forecaster {
  return createWith(doForecastTask);
}

/** In a thread of its own, so that no call waits for it. */
export function createForecaster(): Forecaster {
  const thread: TaskThread<ForecastTask, unknown> = createTaskThread({
    entry: new URL("./forecast-thread.ts", import.meta.url),
    waitingMax: WAITING_MAX,
    timeoutMs: TIMEOUT_MS,
    idleMs: IDLE_MS,
  });
  return createWith((task) => thread.run(task));
}
