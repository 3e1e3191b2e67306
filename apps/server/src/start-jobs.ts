import { type JobQueue, openJobQueue } from "#platform/job-queue.ts";
import { type JobsHealth, startJobSupervisor } from "#platform/job-supervisor.ts";
import type { Installation } from "./deps.ts";
import type { JobsWorkerData } from "./jobs-worker.ts";
import { toDirectorySettings } from "./open-directory.ts";
import { readWebhookSettings } from "./open-webhooks.ts";
import { toBillingSettings } from "./to-billing-settings.ts";
import { toClickHouseSettings } from "./to-clickhouse-settings.ts";
import { toFileSettings } from "./to-file-settings.ts";
import { toMailSettings } from "./to-mail-settings.ts";
import { toProviderSettings } from "./to-provider-settings.ts";

export type BackgroundJobs = {
  queue: JobQueue;
  health(): JobsHealth;
  /** Waits up to 10 s for running jobs; those that take longer are tried again at the next start. */
  stop(): Promise<void>;
};

/** Opens the queue and starts the thread that works on it; does not wait for the thread. */
export async function startJobs(installation: Installation): Promise<BackgroundJobs> {
  const { config, logger, services, database } = installation;
  const data: JobsWorkerData = {
    target: database.target,
    files: toFileSettings(config),
    mail: toMailSettings(config),
    notices: {
      sendsMail: config.mail.smtp !== undefined,
      brandName: config.brand.name,
      consoleUrl: config.publicUrls.console,
    },
    webhooks: await readWebhookSettings(config),
    retention: config.retention,
    clickhouse: toClickHouseSettings(config),
    callLogDays: config.clickhouse?.callsDays ?? 0,
    billing: toBillingSettings(config),
    providers: toProviderSettings(config),
    directory: toDirectorySettings(config),
    logLevel: config.logLevel,
  };
  const queue = await openJobQueue({ target: database.target, logger });
  const supervisor = startJobSupervisor({
    entry: new URL("./jobs-worker.ts", import.meta.url),
    data,
    clock: services.clock,
    logger,
    writeLog: (line) => process.stdout.write(line),
  });
  return {
    queue,
    health: supervisor.health,
    async stop() {
      await supervisor.stop();
      await queue.close();
    },
  };
}
