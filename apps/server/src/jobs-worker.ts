import { randomBytes } from "node:crypto";
import { workerData } from "node:worker_threads";
import type { ConnectionTarget } from "@turnpike/db/client";
import { openCallLog } from "#modules/analytics/index.ts";
import {
  type BillingSettings,
  openProviders,
  type ProviderSettings,
} from "#modules/billing/index.ts";
import { type DirectorySettings, openCellDirectory } from "#modules/cells/index.ts";
import { type FileStoreSettings, openFileStore } from "#modules/files/index.ts";
import {
  createMailTransport,
  type MailSettings,
  startWebhookPump,
} from "#modules/notifications/index.ts";
import { createLogoDrawer, type NoticeSettings } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type ClickHouseSettings, openClickHouse } from "#platform/clickhouse.ts";
import { systemClock } from "#platform/clock.ts";
import { openJobQueue } from "#platform/job-queue.ts";
import { createThreadLogger, runJobThread } from "#platform/job-thread.ts";
import { newUuidId } from "#platform/new-id.ts";
import { openPostgresPool } from "#platform/postgres-pool.ts";
import { createBrandLogo } from "./brand-logo.ts";
import type { RetentionSettings } from "./config-retention.ts";
import { createJobs } from "./jobs.ts";
import { createWebhookNotices, openWebhooks, type WebhookSettings } from "./open-webhooks.ts";

/** What the thread needs to build its own dependencies. */
export type JobsWorkerData = {
  target: ConnectionTarget;
  files: FileStoreSettings;
  mail: MailSettings;
  notices: NoticeSettings;
  webhooks: WebhookSettings;
  retention: RetentionSettings;
  /** Undefined where there is none. */
  clickhouse: ClickHouseSettings | undefined;
  /** Days for which calls are logged there; 0 when none are. */
  callLogDays: number;
  billing: BillingSettings;
  providers: ProviderSettings;
  /** Undefined where this installation stands alone. */
  directory: DirectorySettings | undefined;
  logLevel: string;
};

/** Jobs run one of each kind at a time. */
const CONNECTIONS_MAX = 4;
/** Of their own: a message that arrived and cannot be noted for want of a connection is sent again. */
const WEBHOOK_CONNECTIONS_MAX = 2;
/** What is on its way by then is sent again at the next start. */
const PUMP_STOP_MS = 3_000;

async function startJobs(data: JobsWorkerData): Promise<void> {
  const logger = createThreadLogger(data.logLevel);
  const pool = openPostgresPool(data.target, {
    applicationName: "turnpike-jobs",
    connectionsMax: CONNECTIONS_MAX,
  });
  const webhookPool = openPostgresPool(data.target, {
    applicationName: "turnpike-webhooks",
    connectionsMax: WEBHOOK_CONNECTIONS_MAX,
  });
  const services: AppServices = {
    transact: pool.transact,
    clock: systemClock,
    newId: newUuidId,
    logger,
    randomBytes: (count) => randomBytes(count),
  };
  const mailTransport = createMailTransport(data.mail, {
    logger,
    findLogo: createBrandLogo({ mark: data.mail.brand.mark, drawer: createLogoDrawer(), logger }),
  });
  const files = await openFileStore(data.files, services);
  const clickhouse = data.clickhouse && openClickHouse(data.clickhouse);
  const directory = data.directory && openCellDirectory(data.directory);
  const queue = await openJobQueue({ target: data.target, logger });
  const { sealer, webhookTargets } = openWebhooks(data.webhooks);
  const pump = startWebhookPump({
    ...services,
    transact: webhookPool.transact,
    sealer,
    guardedOutbound: webhookTargets,
    webhookNotices: createWebhookNotices({ ...services, jobs: queue, notices: data.notices }),
  });
  const stopping = new AbortController();
  const moving = files.moveFormer(stopping.signal).catch((error: unknown) => {
    logger.warn({ err: error }, "files were not moved and are read where they are");
  });
  await runJobThread({
    target: data.target,
    logger,
    jobs: createJobs({
      ...services,
      fileStore: files.fileStore,
      mailTransport,
      jobs: queue,
      notices: data.notices,
      retention: data.retention,
      clickhouse,
      callLog: clickhouse && openCallLog({ ...services, clickhouse }, data.callLogDays),
      billing: data.billing,
      payments: openProviders(data.providers),
      directory,
    }),
    async close() {
      stopping.abort();
      await moving;
      await pump.stop(PUMP_STOP_MS);
      mailTransport.close();
      await files.close();
      await clickhouse?.close();
      await directory?.close();
      await queue.close();
      await webhookPool.close();
      await pool.close();
    },
  });
}

await startJobs(workerData as JobsWorkerData);
