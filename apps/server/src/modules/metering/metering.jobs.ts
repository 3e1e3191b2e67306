import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import type { Transact } from "#platform/transact.ts";
import { keepMeteringHouse } from "./keep-house.ts";

/** Every minute: a dead process's lease blocks its units until it is forfeited or its period ends, and charts say so. */
export function createMeteringJobs(deps: { transact: Transact }): RegisteredJob[] {
  return [
    registerSchedule({
      name: "metering.keep-house",
      cron: "* * * * *",
      run: () => keepMeteringHouse(deps),
    }),
  ];
}
