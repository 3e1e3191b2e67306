import type { UsageRetention } from "@turnpike/domain/metering/usage-history";
import { minuteOf } from "@turnpike/domain/time/period";
import type { AppServices } from "#platform/app-services.ts";
import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { keepUsageHistory } from "./history/keep-usage-history.ts";
import { pruneMetering } from "./prune-metering.ts";
import { rollUpUsage } from "./rollups/roll-up-usage.ts";

/** Nearly all calls are committed this soon after their minute. */
const COMMIT_DELAY_MS = 10_000;

/**
 * Prunes every minute, so that expired locks free their units soon. Keeps history every hour, because each run follows the clock
 * by a bounded step. Rolls up minutes once they are over, so that a key's row is written once; hours less often, for the same
 * reason, and not in the minute in which other jobs start.
 */
export function createMeteringJobs(
  deps: Pick<AppServices, "transact" | "clock" | "logger"> & { retention: UsageRetention },
): RegisteredJob[] {
  return [
    registerSchedule({
      name: "metering.prune",
      cron: "* * * * *",
      run: () => pruneMetering(deps),
    }),
    registerSchedule({
      name: "metering.roll-up-minutes",
      cron: "* * * * *",
      run: ({ signal }) => {
        const running = new Date(minuteOf(deps.clock.now().getTime() - COMMIT_DELAY_MS));
        return rollUpUsage(deps, "minutes", { signal, running });
      },
    }),
    registerSchedule({
      name: "metering.roll-up-hours",
      cron: "3-59/10 * * * *",
      run: ({ signal }) => rollUpUsage(deps, "hours", { signal }),
    }),
    registerSchedule({
      name: "metering.keep-history",
      cron: "17 * * * *",
      run: () => keepUsageHistory(deps, deps.retention),
    }),
  ];
}
