import { type RegisteredJob, registerJob, registerSchedule } from "#platform/define-job.ts";
import { closeDue } from "./closing/close-due.ts";
import { type MigrateDeps, migrateJob, moveSubscribers } from "./migration/move-subscribers.ts";

export function createBillingJobs(deps: MigrateDeps): RegisteredJob[] {
  return [
    registerSchedule({
      name: "billing.close",
      cron: "* * * * *",
      run: ({ signal }) => closeDue(deps, { signal }),
    }),
    registerJob({
      job: migrateJob,
      run: (payload, attempt) => moveSubscribers(deps, payload, attempt),
    }),
  ];
}
