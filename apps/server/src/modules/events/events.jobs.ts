import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { type PruneEventsDeps, pruneEvents } from "./prune-events.ts";

/** Less than the time to the next run, so that no two runs delete the same rows. */
const RUN_MS_MAX = 8 * 60_000;

export function createEventsJobs(deps: PruneEventsDeps): RegisteredJob[] {
  return [
    registerSchedule({
      name: "events.keep-house",
      cron: "*/10 * * * *",
      run: ({ signal }) =>
        pruneEvents(deps, {
          signal: AbortSignal.any([signal, AbortSignal.timeout(RUN_MS_MAX)]),
        }),
    }),
  ];
}
