import { type RegisteredJob, registerJob, registerSchedule } from "#platform/define-job.ts";
import { closeDue } from "./closing/close-due.ts";
import { lapseTopUps, topUpLowAccounts } from "./credits/top-up-low-accounts.ts";
import { type MigrateDeps, migrateJob, moveSubscribers } from "./migration/move-subscribers.ts";
import { collectDue } from "./payments/collect-due.ts";
import { sendDueRefunds } from "./payments/send-refund.ts";

export function createBillingJobs(deps: MigrateDeps): RegisteredJob[] {
  return [
    registerSchedule({
      name: "billing.close",
      cron: "* * * * *",
      run: ({ signal }) => closeDue(deps, { signal }),
    }),
    registerSchedule({
      name: "billing.collect",
      cron: "* * * * *",
      run: async ({ signal }) => {
        await collectDue(deps, { signal });
        await sendDueRefunds(deps);
      },
    }),
    registerSchedule({
      name: "billing.topUps",
      cron: "* * * * *",
      run: async ({ signal }) => {
        await lapseTopUps(deps);
        await topUpLowAccounts(deps, { signal });
      },
    }),
    registerJob({
      job: migrateJob,
      run: (payload, attempt) => moveSubscribers(deps, payload, attempt),
    }),
  ];
}
