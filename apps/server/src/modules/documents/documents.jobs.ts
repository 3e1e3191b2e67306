import type { AppServices } from "#platform/app-services.ts";
import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { pruneDeletions } from "./prune-deletions.ts";

export function createDocumentsJobs(
  deps: Pick<AppServices, "transact" | "clock">,
): RegisteredJob[] {
  return [
    registerSchedule({
      name: "documents.forget-deletions",
      cron: "23 3 * * *",
      run: () => pruneDeletions(deps),
    }),
  ];
}
