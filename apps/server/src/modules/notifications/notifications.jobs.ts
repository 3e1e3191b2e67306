import { type RegisteredJob, registerJob, registerSchedule } from "#platform/define-job.ts";
import { type DeliverMailDeps, deliverMail, deliverMailJob } from "./mail/deliver-mail.ts";
import { pruneNotifications } from "./prune-notifications.ts";

export function createNotificationsJobs(deps: DeliverMailDeps): RegisteredJob[] {
  return [
    registerJob({
      job: deliverMailJob,
      run: (payload, attempt) => deliverMail(deps, payload, attempt),
    }),
    registerSchedule({
      name: "notifications.forget-old",
      cron: "37 3 * * *",
      run: () => pruneNotifications(deps),
    }),
  ];
}
