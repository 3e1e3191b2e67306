import { createAlertsJobs } from "#modules/alerts/index.ts";
import { type CallLog, createAnalyticsJobs, exportFiles } from "#modules/analytics/index.ts";
import { type BillingDeps, createBillingJobs } from "#modules/billing/index.ts";
import { type CellDirectory, createCellsJobs } from "#modules/cells/index.ts";
import { createDocumentsJobs } from "#modules/documents/index.ts";
import { createEventsJobs } from "#modules/events/index.ts";
import { createFilesJobs, type FileStore } from "#modules/files/index.ts";
import { createProviderJobs } from "#modules/identity/index.ts";
import {
  createDigestJobs,
  createForecastsJobs,
  createInsightsJobs,
} from "#modules/intelligence/index.ts";
import { createKeysJobs } from "#modules/keys/index.ts";
import { createMeteringJobs, keyUsage } from "#modules/metering/index.ts";
import { parkedFiles } from "#modules/moves/index.ts";
import { createNotificationsJobs, type MailTransport } from "#modules/notifications/index.ts";
import { createTenantsJobs, logoFiles, type NoticeSettings } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { pruneChanges } from "#platform/change-feed.ts";
import type { ClickHouse } from "#platform/clickhouse.ts";
import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import { forgetOldAnswers } from "#platform/run-once.ts";
import type { RetentionSettings } from "./config-retention.ts";
import { TENANT_RESOURCES } from "./tenant-resources.ts";

export type JobsDeps = AppServices & {
  fileStore: FileStore;
  mailTransport: MailTransport;
  /** Jobs make jobs: a warning becomes a mail. */
  jobs: JobQueue;
  notices: NoticeSettings;
  retention: RetentionSettings;
  /** Undefined where there is none. */
  clickhouse: ClickHouse | undefined;
  /** The same; with 0 days it is to be deleted. */
  callLog: CallLog | undefined;
  /** Of all cells; undefined where this installation stands alone. */
  directory: CellDirectory | undefined;
} & Pick<BillingDeps, "billing" | "payments">;

/** All background work: each module's jobs, and the upkeep of the platform. */
export function createJobs(deps: JobsDeps): RegisteredJob[] {
  return [
    registerSchedule({
      name: "changes.prune",
      cron: "*/15 * * * *",
      run: () => pruneChanges(deps),
    }),
    registerSchedule({
      name: "answers.forget",
      cron: "*/10 * * * *",
      run: () => forgetOldAnswers(deps),
    }),
    ...createProviderJobs(deps),
    ...createTenantsJobs({ ...deps, resources: TENANT_RESOURCES }),
    ...createKeysJobs({ ...deps, keyUsage }),
    ...createCellsJobs(deps),
    ...createMeteringJobs({
      ...deps,
      retention: {
        minutes: deps.retention.minutesDays,
        hours: deps.retention.hoursDays,
        ledger: deps.retention.ledgerDays,
      },
    }),
    ...createEventsJobs(deps),
    ...createFilesJobs({ ...deps, fileOwners: [exportFiles, logoFiles, parkedFiles] }),
    ...createAnalyticsJobs({ ...deps, callsDays: deps.retention.callsDays }),
    ...createDocumentsJobs(deps),
    ...createNotificationsJobs(deps),
    ...createAlertsJobs(deps),
    ...createInsightsJobs(deps),
    ...createDigestJobs(deps),
    ...createForecastsJobs(deps),
    ...createBillingJobs({ ...deps, mail: deps }),
  ];
}
