import { join } from "node:path";
import { eventually } from "@turnpike/testkit/eventually";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { type SmtpServer, startSmtpServer } from "@turnpike/testkit/smtp-server";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createLiveServices,
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
} from "@turnpike/testkit/test-services";
import { startWebhookReceiver } from "@turnpike/testkit/webhook-receiver";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { TEST_BILLING } from "#modules/billing/testing/billing.fixture.ts";
import {
  createWebhook,
  listDeliveries,
  sendMail,
  testWebhook,
} from "#modules/notifications/index.ts";
import { defineJob } from "#platform/define-job.ts";
import { type JobQueue, openJobQueue } from "#platform/job-queue.ts";
import { type JobSupervisor, startJobSupervisor } from "#platform/job-supervisor.ts";
import type { JobsWorkerData } from "./jobs-worker.ts";
import { openWebhooks, type WebhookSettings } from "./open-webhooks.ts";

const WEBHOOKS: WebhookSettings = {
  secret: "a secret of webhooks that only tests use",
  allowPrivate: ["127.0.0.1"],
};
/** As many jobs as they have connections, and the table that each of them waits for while a test holds its lock. */
const JOBS_AND_TABLES = {
  "exports.forget": "exports",
  "documents.forget-deletions": "documents",
  "alerts.forget-old": "alert_events",
  "answers.forget": "idempotency_records",
};

/** What an hour of the clock would enqueue. */
const toHousekeeping = (name: string) =>
  defineJob({
    name,
    schema: z.object({}),
    retryLimit: 0,
    retryDelaySeconds: 1,
    retryDelaySecondsMax: 1,
    expireInSeconds: 60,
  });

describe("the thread of the jobs", () => {
  let database: TestDatabase;
  let folder: TempFolder;
  let smtp: SmtpServer;
  let queue: JobQueue & { close(): Promise<void> };
  let supervisor: JobSupervisor;
  const lines: string[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await makeTempFolder();
    smtp = await startSmtpServer();
    const services = createLiveServices(database);
    queue = await openJobQueue({ target: database.target, logger: services.logger });
    const data: JobsWorkerData = {
      target: database.target,
      files: { store: "disk", folder: join(folder.path, "files") },
      mail: {
        from: "turnpike@sender.test",
        brand: { name: "Turnpike", accent: "#f5c400", onAccent: "#1a1814", language: "en" },
        smtp: { host: "127.0.0.1", port: smtp.port, secure: false },
      },
      notices: { sendsMail: true, brandName: "Turnpike", consoleUrl: undefined },
      webhooks: WEBHOOKS,
      retention: {
        minutesDays: 100,
        hoursDays: undefined,
        ledgerDays: undefined,
        callsDays: 7,
        eventsDays: 35,
        rejectedEventsDays: 14,
      },
      clickhouse: undefined,
      callLogDays: 0,
      billing: TEST_BILLING,
      providers: [],
      directory: undefined,
      logLevel: "info",
    };
    supervisor = startJobSupervisor({
      entry: new URL("./jobs-worker.ts", import.meta.url),
      data,
      clock: services.clock,
      logger: services.logger,
      writeLog: (line) => lines.push(line),
    });
    await eventually(() => expect(supervisor.health().isAlive).toBe(true));
  });
  afterAll(async () => {
    await supervisor.stop();
    await queue.close();
    await smtp.close();
    await database.close();
    await folder[Symbol.asyncDispose]();
  });

  it("delivers a mail from the caller's transaction to the mail server, and logs that as a line of JSON", async () => {
    const services = createLiveServices(database);
    const { mailId } = await services.transact.asOperator((tx) =>
      sendMail({ ...services, jobs: queue }, tx, {
        to: "ada@example.test",
        subject: "Welcome",
        content: [{ kind: "paragraph", text: "Hello" }],
        kind: "test",
      }),
    );
    await eventually(() => expect(smtp.mails).toHaveLength(1));
    await eventually(() => {
      const logged = lines.map((line) => JSON.parse(line)).find((line) => line.mailId === mailId);
      expect(logged).toMatchObject({ msg: "a mail was handed to the mail server" });
    });
  });

  it("sends webhooks and notes it while jobs have every connection of theirs", async () => {
    const services = createLiveServices(database);
    const { tenantId: owner } = await createTestTenant(createTestServices(database));
    const receiver = await startWebhookReceiver();
    const deps = { ...services, ...openWebhooks(WEBHOOKS) };
    const fields = { owner, url: receiver.url, description: "", eventTypes: ["*"] };
    const { webhookId } = await createWebhook(deps, OPERATOR_CONTEXT, fields);
    await database.sql.transaction(async (tx) => {
      for (const table of Object.values(JOBS_AND_TABLES)) {
        await tx`lock table ${tx(table)} in access exclusive mode`;
      }
      for (const name of Object.keys(JOBS_AND_TABLES)) {
        await queue.enqueue(toHousekeeping(name), {});
      }
      await pollUntil("jobs have every connection", async () => {
        const waiting = await database.sql`
          select 1 from pg_stat_activity
          where datname = current_database() and application_name = 'turnpike-jobs' and wait_event_type = 'Lock'`;
        return waiting.length === Object.keys(JOBS_AND_TABLES).length;
      });
      const { messageId } = await testWebhook(deps, OPERATOR_CONTEXT, { owner, webhookId });
      await eventually(async () => {
        const { items } = await listDeliveries(deps, OPERATOR_CONTEXT, {
          owner,
          webhookId,
          limit: 1,
        });
        expect(items).toMatchObject([{ messageId, state: "succeeded", attempts: 1 }]);
      });
    });
    await receiver.close();
  });

  it("has a schedule for each piece of upkeep", async () => {
    const rows = await database.sql<
      { name: string }[]
    >`select name from pgboss.schedule order by name`;
    expect(rows.map((row) => row.name)).toEqual([
      "alerts.evaluate",
      "alerts.forget-old",
      "alerts.watch-quotas",
      "answers.forget",
      "billing.close",
      "billing.collect",
      "billing.figures",
      "billing.mail",
      "billing.spend",
      "billing.topUps",
      "calls.forget",
      "changes.prune",
      "documents.forget-deletions",
      "events.keep-house",
      "exports.forget",
      "files.sweep",
      "forecasts.keep",
      "identity.forget-expired",
      "insights.digest",
      "insights.scan",
      "keys.warn-of-expiry",
      "metering.keep-history",
      "metering.prune",
      "metering.roll-up-hours",
      "metering.roll-up-minutes",
      "notifications.forget-old",
      "payments.sweep",
      "tenants.purge",
    ]);
  });
});
