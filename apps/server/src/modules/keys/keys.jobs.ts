import { type RegisteredJob, registerJob, registerSchedule } from "#platform/define-job.ts";
import { type NotifyOfLeaksDeps, notifyOfLeaks, notifyOfLeaksJob } from "./notify-of-leaks.ts";
import { type WarnDeps, warnOfExpiry } from "./warn-of-expiry.ts";

/** Warnings are checked every hour; the shortest is a day ahead. */
export function createKeysJobs(deps: NotifyOfLeaksDeps & WarnDeps): RegisteredJob[] {
  return [
    registerSchedule({
      name: "keys.warn-of-expiry",
      cron: "11 * * * *",
      run: (attempt) => warnOfExpiry(deps, attempt),
    }),
    registerJob({
      job: notifyOfLeaksJob,
      run: (_payload, attempt) => notifyOfLeaks(deps, attempt),
    }),
  ];
}
