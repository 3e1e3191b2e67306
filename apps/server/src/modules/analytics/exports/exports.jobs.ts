import type { ClickHouse } from "#platform/clickhouse.ts";
import { type RegisteredJob, registerJob, registerSchedule } from "#platform/define-job.ts";
import type { CallLog } from "../call-log/call-log.ts";
import { keepCallLog } from "../call-log/keep-call-log.ts";
import { forgetCalls } from "../calls/forget-calls.ts";
import { copyUsageLater } from "../copies/copy-usage.ts";
import { forgetExports } from "./forget-exports.ts";
import { type WriteExportDeps, writeExport, writeExportJob } from "./write-export.ts";

export function createAnalyticsJobs(
  deps: WriteExportDeps & {
    callsDays: number;
    /** Undefined where there is none. */
    clickhouse: ClickHouse | undefined;
    callLog: CallLog | undefined;
  },
): RegisteredJob[] {
  const { clickhouse, callLog } = deps;
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
    ...(callLog === undefined
      ? []
      : [
          registerSchedule({
            name: "calls.keep-log",
            cron: "41 * * * *",
            run: () => keepCallLog({ ...deps, callLog }),
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
