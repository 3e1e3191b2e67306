import { join } from "node:path";
import { type SmtpServer, startSmtpServer } from "@turnpike/testkit/smtp-server";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { sendMail } from "#modules/notifications/index.ts";
import { type JobQueue, openJobQueue } from "#platform/job-queue.ts";
import { type JobSupervisor, startJobSupervisor } from "#platform/job-supervisor.ts";
import type { JobsWorkerData } from "./jobs-worker.ts";

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
      filesFolder: join(folder.path, "files"),
      mail: {
        from: "turnpike@sender.test",
        smtp: { host: "127.0.0.1", port: smtp.port, secure: false },
      },
      notices: { sendsMail: true, brandName: "Turnpike", consoleUrl: undefined },
      webhooks: { secret: "a secret of webhooks that only tests use", allowPrivate: [] },
      retention: {
        minutesDays: 100,
        hoursDays: undefined,
        ledgerDays: undefined,
        eventsDays: 35,
        rejectedEventsDays: 14,
      },
      logLevel: "info",
    };
    supervisor = startJobSupervisor({
      entry: new URL("./jobs-worker.ts", import.meta.url),
      data,
      clock: services.clock,
      logger: services.logger,
      writeLog: (line) => lines.push(line),
    });
    await vi.waitFor(() => expect(supervisor.health().isAlive).toBe(true), { timeout: 20_000 });
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
        text: "Hello",
        kind: "test",
      }),
    );
    await vi.waitFor(() => expect(smtp.mails).toHaveLength(1), { timeout: 15_000 });
    await vi.waitFor(() => {
      const logged = lines.map((line) => JSON.parse(line)).find((line) => line.mailId === mailId);
      expect(logged).toMatchObject({ msg: "a mail was handed to the mail server" });
    });
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
      "changes.prune",
      "documents.forget-deletions",
      "events.keep-house",
      "exports.forget",
      "files.sweep",
      "identity.forget-expired",
      "keys.warn-of-expiry",
      "metering.keep-history",
      "metering.keep-house",
      "notifications.forget-old",
      "tenants.purge",
    ]);
  });
});
