import type { UsageRetention } from "@turnpike/domain/metering/usage-history";
import { minuteOf } from "@turnpike/domain/time/period";
import type { AppServices } from "#platform/app-services.ts";
import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { keepMeteringHouse } from "./keep-house.ts";
import { keepUsageHistory } from "./keep-usage-history.ts";
import { rollUpUsage } from "./roll-up-usage.ts";

/** Calls are committed this much after their minute at the latest, mostly. */
const COMMIT_DELAY_MS = 10_000;

/**
 * House-keeping every minute: a dead process's lease blocks its units until it is forfeited or its period ends, and charts say so.
 * History every hour: it believes the clock by so much a run. Minutes when they are over: a key's row is then written once. Hours
 * seldom, for the same reason, and not when all else begins.
 */
export function createMeteringJobs(
  deps: Pick<AppServices, "transact" | "clock" | "logger"> & { retention: UsageRetention },
): RegisteredJob[] {
  return [
    registerSchedule({
      name: "metering.keep-house",
      cron: "* * * * *",
      run: () => keepMeteringHouse(deps),
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
