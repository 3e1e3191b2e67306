import { fileURLToPath } from "node:url";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { type SmtpServer, startSmtpServer } from "@turnpike/testkit/smtp-server";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { type SpawnedScript, spawnScript } from "@turnpike/testkit/spawn-script";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import type { TestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMailTransport, createNotificationsJobs } from "#modules/notifications/index.ts";
import { type JobQueue, openJobQueue } from "#platform/job-queue.ts";
import { startJobRunner } from "#platform/job-runner.ts";
import { CLAIM_MS } from "./evaluate-alerts.ts";
import {
  type AlertsWorld,
  addAlert,
  call,
  createAlertsWorld,
  createTenantWithOwner,
} from "./testing/alerts.fixture.ts";
import { ALERTS_PROCESS, type AlertsProcessInput } from "./testing/alerts-process.fixture.ts";

const ROUNDS = IS_SOAK ? 30 : 2;
const TENANTS = 3;
const ALERTS_A_TENANT = 4;
/** How many processes are killed in each round, before one runs to its end. */
const PROCESSES = 2;
/** A process that finds all the work takes more than twice as many steps. */
const STEPS_BEFORE_KILL_MAX = 24;
const ROUND_MS = 10 * 60_000;
/** A prime: it spreads the kills over all steps, the same in each run. */
const STRIDE = 7;
/** Only ends what hangs. */
const HANGS_MS = 3 * 60_000;

const PROGRAM = fileURLToPath(new URL("./testing/alerts-process.fixture.ts", import.meta.url));
const CODE = `import { runAlertsProcess } from ${JSON.stringify(PROGRAM)};
await runAlertsProcess(JSON.parse(process.argv[1]));`;

let database: TestDatabase;
let world: AlertsWorld;
let queue: JobQueue & { close(): Promise<void> };
let smtp: SmtpServer;
let tenants: (TestTenant & { ownerEmail: string })[];

beforeAll(async () => {
  database = await createTestDatabase();
  world = createAlertsWorld(database);
  queue = await openJobQueue({ target: database.target, logger: world.logger });
  smtp = await startSmtpServer();
  tenants = [];
  for (let count = 0; count < TENANTS; count += 1) {
    const tenant = await createTenantWithOwner(world, database, `Tenant ${String(count)}`);
    tenants.push(tenant);
    for (let alert = 0; alert < ALERTS_A_TENANT; alert += 1) {
      const name = `Silent ${String(alert)}`;
      await addAlert(world, tenant, {
        name,
        condition: { kind: "no_data" },
        renotifyMinutes: null,
      });
    }
  }
});
afterAll(async () => {
  await smtp.close();
  await queue.close();
  await database.close();
});

function start(stopAtStep: number | null): SpawnedScript {
  const input: AlertsProcessInput = {
    target: database.target,
    now: world.clock.now().toISOString(),
    stopAtStep,
  };
  return spawnScript(CODE, JSON.stringify(input));
}

/** Ends a process with SIGKILL at one of its steps. @returns False when it had no work left and ended before that step. */
async function killAtStep(step: number): Promise<boolean> {
  const script = start(step);
  const wasAtWork = await script.nextLine().then(
    () => true,
    () => false,
  );
  await script.kill();
  return wasAtWork;
}

/** The server keeps the locks of a killed process until it notices that the connection is gone. */
async function waitUntilConnectionsAreGone(): Promise<void> {
  await pollUntil(
    "no connection of a killed process",
    async () => {
      const rows = await database.sql`
        select 1 from pg_stat_activity
        where datname = current_database() and application_name = ${ALERTS_PROCESS}`;
      return rows.length === 0;
    },
    HANGS_MS,
  );
}

/** @throws With its standard error if it fails. */
async function runToItsEnd(script: SpawnedScript): Promise<void> {
  if ((await script.exited) !== 0) {
    for (;;) {
      await script.nextLine();
    }
  }
}

/** Counts calls in every second round, so that each alert fires in one round and recovers in the next. */
async function pass(lengthMs: number, round: number): Promise<void> {
  world.clock.advance(lengthMs);
  for (const tenant of round % 2 === 1 ? tenants : []) {
    await call(world, tenant, { calls: 5 });
  }
}

/** Decodes quoted-printable (RFC 2045), as a mail program does. */
function toPlain(data: string): string {
  return data.replaceAll("=\r\n", "").replaceAll("=3D", "=");
}

/** Counts the notices of each channel. All of them must agree. */
async function countNotices() {
  const [row] = await database.sql<Record<string, number>[]>`
    select
      (select count(*) from alert_events)::int as history,
      (select count(*) from notifications)::int as notices,
      (select count(*) from webhook_outbox where event_type like 'alert.%')::int as events,
      (select count(*) from mails)::int as mails,
      (select min(count) from (select count(*) from alert_events group by alert_id) each)::int as fewest,
      (select max(count) from (select count(*) from alert_events group by alert_id) each)::int as most`;
  return row;
}

describe("guarantee: an alert sends each notice exactly once, even if processes are killed by SIGKILL", () => {
  it(
    "over rounds in which two processes are killed at work and a third finishes",
    async () => {
      let killed = 0;
      let done = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        await pass(ROUND_MS, round);
        const ends = await Promise.all(
          Array.from({ length: PROCESSES }, (_, index) =>
            killAtStep(1 + (((round * PROCESSES + index) * STRIDE) % STEPS_BEFORE_KILL_MAX)),
          ),
        );
        await waitUntilConnectionsAreGone();
        killed += ends.filter((wasAtWork) => wasAtWork).length;
        // By then the claims of the killed processes have expired. No window is evaluated twice.
        await pass(CLAIM_MS, round);
        await runToItsEnd(start(null));
        done += TENANTS * ALERTS_A_TENANT;
        const notified = await countNotices();
        expect(notified).toMatchObject({
          history: done,
          notices: done,
          events: done,
          mails: done,
          fewest: round + 1,
          most: round + 1,
        });
      }
      // A run that interrupted no process would prove nothing.
      expect(killed).toBeGreaterThan(0);
    },
    ROUNDS * HANGS_MS,
  );

  it(
    "and its mail reaches a mail server, in plain English",
    async () => {
      const mailTransport = createMailTransport(
        {
          from: "turnpike@sender.test",
          brand: { name: "Turnpike", accent: "#f5c400", onAccent: "#1a1814", language: "en" },
          smtp: { host: "127.0.0.1", port: smtp.port, secure: false },
        },
        world,
      );
      const runner = await startJobRunner({
        target: database.target,
        jobs: createNotificationsJobs({ ...world, mailTransport }),
        logger: world.logger,
      });
      const expected = ROUNDS * TENANTS * ALERTS_A_TENANT;
      await pollUntil("all mails arrive", () => smtp.mails.length >= expected, HANGS_MS);
      expect(smtp.mails).toHaveLength(expected);
      await runner.stop(HANGS_MS);
      mailTransport.close();
      const [tenant] = tenants;
      const own = smtp.mails.filter(({ to }) => to.includes(tenant?.ownerEmail ?? ""));
      expect(own).toHaveLength(ROUNDS * ALERTS_A_TENANT);
      const mail = own.find(
        ({ data }) =>
          data.includes("Subject: Acme API: An alert is firing") &&
          data.includes("Alert: Silent 0"),
      );
      const text = toPlain(mail?.data ?? "");
      expect(text).toContain("Requests: nothing counted in 1 minute.\r\nMeasured: 0 requests.\r\n");
      expect(text).toContain("(UTC) on 20 November 2026.");
      expect(text).toContain("Tenant: Tenant 0");
      expect(text).toMatch(
        /https:\/\/console\.example\.com\/analytics\?tab=alerts&alert=alt_[0-9a-f]{32}&tenant=tenant-0/,
      );
    },
    2 * HANGS_MS,
  );
});
