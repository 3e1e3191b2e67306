import { type RegisteredJob, registerJob, registerSchedule } from "#platform/define-job.ts";
import { forgetExports } from "./forget-exports.ts";
import { type WriteExportDeps, writeExport, writeExportJob } from "./write-export.ts";

export function createAnalyticsJobs(deps: WriteExportDeps): RegisteredJob[] {
  return [
    registerJob({
      job: writeExportJob,
      run: (payload, attempt) => writeExport(deps, payload, attempt),
    }),
    registerSchedule({
      name: "exports.forget",
      cron: "23 * * * *",
      run: () => forgetExports(deps),
    }),
  ];
}
