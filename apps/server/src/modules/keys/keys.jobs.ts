import { type RegisteredJob, registerJob, registerSchedule } from "#platform/define-job.ts";
import { type TellLeaksDeps, tellLeaks, tellLeaksJob } from "./tell-leaks.ts";
import { type WarnDeps, warnOfExpiry } from "./warn-of-expiry.ts";

/** Warnings are looked for every hour: the shortest is a day before. */
export function createKeysJobs(deps: TellLeaksDeps & WarnDeps): RegisteredJob[] {
  return [
    registerSchedule({
      name: "keys.warn-of-expiry",
      cron: "11 * * * *",
      run: (attempt) => warnOfExpiry(deps, attempt),
    }),
    registerJob({ job: tellLeaksJob, run: (_payload, attempt) => tellLeaks(deps, attempt) }),
  ];
}
