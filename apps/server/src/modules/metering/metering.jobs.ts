import type { UsageRetention } from "@turnpike/domain/metering/usage-history";
import type { AppServices } from "#platform/app-services.ts";
import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { keepMeteringHouse } from "./keep-house.ts";
import { keepUsageHistory } from "./keep-usage-history.ts";

/**
 * House-keeping every minute: a dead process's lease blocks its units until it is forfeited or its period ends, and charts say so.
 * History every hour: it believes the clock by so much a run.
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
      name: "metering.keep-history",
      cron: "17 * * * *",
      run: () => keepUsageHistory(deps, deps.retention),
    }),
  ];
}
