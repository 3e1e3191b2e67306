import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { closeDue } from "./closing/close-due.ts";

export function createBillingJobs(deps: BillingDeps): RegisteredJob[] {
  return [
    registerSchedule({
      name: "billing.close",
      cron: "* * * * *",
      run: ({ signal }) => closeDue(deps, { signal }),
    }),
  ];
}
