import { type RegisteredJob, registerJob, registerSchedule } from "#platform/define-job.ts";
import { type DeliverMailDeps, deliverMail, deliverMailJob } from "./deliver-mail.ts";
import { forgetOld } from "./forget-old.ts";

export function createNotificationsJobs(deps: DeliverMailDeps): RegisteredJob[] {
  return [
    registerJob({
      job: deliverMailJob,
      run: (payload, attempt) => deliverMail(deps, payload, attempt),
    }),
    registerSchedule({
      name: "notifications.forget-old",
      cron: "37 3 * * *",
      run: () => forgetOld(deps),
    }),
  ];
}
