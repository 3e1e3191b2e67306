import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { type SweepFilesDeps, sweepFiles } from "./sweep-files.ts";

export function createFilesJobs(deps: SweepFilesDeps): RegisteredJob[] {
  return [
    registerSchedule({
      name: "files.sweep",
      cron: "17 3 * * *",
      run: (attempt) => sweepFiles(deps, attempt),
    }),
  ];
}
