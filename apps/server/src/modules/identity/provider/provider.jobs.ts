import type { AppServices } from "#platform/app-services.ts";
import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { pruneExpired } from "./prune-expired.ts";

/** The scheduled jobs of the built-in provider. */
export function createProviderJobs(deps: Pick<AppServices, "transact" | "clock">): RegisteredJob[] {
  return [
    registerSchedule({
      name: "identity.forget-expired",
      cron: "*/10 * * * *",
      run: ({ signal }) => pruneExpired(deps, { signal }),
    }),
  ];
}
