import type { ClickHouse } from "#platform/clickhouse.ts";
import { type RegisteredJob, registerJob, registerSchedule } from "#platform/define-job.ts";
import { forgetCalls } from "../calls/forget-calls.ts";
import { copyUsageLater } from "../copies/copy-usage.ts";
import { forgetExports } from "./forget-exports.ts";
import { type WriteExportDeps, writeExport, writeExportJob } from "./write-export.ts";

export function createAnalyticsJobs(
  deps: WriteExportDeps & {
    callsDays: number;
    /** Undefined where there is none. */
    clickhouse: ClickHouse | undefined;
  },
): RegisteredJob[] {
  const { clickhouse } = deps;
  return [
    ...(clickhouse === undefined
      ? []
      : [
          registerSchedule({
            name: "usage.copy",
            cron: "* * * * *",
            run: ({ signal }) => copyUsageLater({ ...deps, clickhouse }, signal),
          }),
        ]),
    registerJob({
      job: writeExportJob,
      run: (payload, attempt) => writeExport(deps, payload, attempt),
    }),
    registerSchedule({
      name: "exports.forget",
      cron: "23 * * * *",
      run: () => forgetExports(deps),
    }),
    registerSchedule({
      name: "calls.forget",
      cron: "6-59/10 * * * *",
      run: () => forgetCalls(deps),
    }),
  ];
}
