import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { systemClock } from "./clock.ts";
import { defineJob, registerJob } from "./define-job.ts";
import { type JobQueue, openJobQueue } from "./job-queue.ts";
import { startJobRunner } from "./job-runner.ts";
import { type JobSupervisor, startJobSupervisor } from "./job-supervisor.ts";
import { createLogger } from "./logger.ts";
import { createTransact, type Transact } from "./transact.ts";

const settings = { retryLimit: 3, retryDelaySeconds: 0, retryDelaySecondsMax: 2 };
const marked = { ...settings, schema: z.object({ mark: z.string() }), expireInSeconds: 60 };
// The sender knows a job by its definition alone; the code is in the thread.
const markJob = defineJob({ ...marked, name: "test.mark" });
const hangJob = defineJob({ ...marked, name: "test.hang" });
const failJob = defineJob({ ...marked, name: "test.fail", retryLimit: 0 });
const crashJob = defineJob({
  ...settings,
  name: "test.crash",
  schema: z.object({ mark: z.string(), how: z.enum(["throw", "exit", "memory"]) }),
  expireInSeconds: 1,
});

/** Only ends what hangs. */
const MINUTES_MS = 180_000;

describe("background jobs", { timeout: MINUTES_MS }, () => {
  let database: TestDatabase;
  let transact: Transact;
  let queue: JobQueue & { close(): Promise<void> };
  let supervisor: JobSupervisor;
  const logger = createLogger({ level: "silent" });
  const lines: string[] = [];

  function startSupervisor(stopTimeoutMs = 1_000): JobSupervisor {
    return startJobSupervisor({
      entry: new URL("./job-thread.fixture.ts", import.meta.url),
      data: { target: database.target },
      clock: systemClock,
      logger,
      writeLog: (line) => lines.push(line),
      restartDelayMs: 50,
      stopTimeoutMs,
    });
  }

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.sql`create table marks (mark text, attempt int, thread int)`;
    transact = createTransact(database.sql);
    queue = await openJobQueue({ target: database.target, logger });
    supervisor = startSupervisor();
    await vi.waitFor(() => expect(supervisor.health().isAlive).toBe(true), { timeout: MINUTES_MS });
  });
  afterAll(async () => {
    await supervisor.stop();
    await queue.close();
    await database.close();
  });

  const marks = (mark: string) =>
    database.sql<{ attempt: number; thread: number }[]>`
      select attempt, thread from marks where mark = ${mark} order by attempt`;

  async function waitForMarks(mark: string, count: number) {
    await vi.waitFor(async () => expect((await marks(mark)).length).toBe(count), {
      timeout: MINUTES_MS,
      interval: 50,
    });
    return await marks(mark);
  }

  it("runs a job of a committed transaction once, and none of one that was rolled back", async () => {
    await transact
      .asOperator(async (tx) => {
        await queue.enqueue(markJob, { mark: "undone" }, { tx });
        throw new Error("undo");
      })
      .catch(() => undefined);
    await transact.asOperator((tx) => queue.enqueue(markJob, { mark: "done" }, { tx }));
    await waitForMarks("done", 1);
    // Enqueued after both: when it has run, the others would have.
    await queue.enqueue(markJob, { mark: "later" });
    await waitForMarks("later", 1);
    expect(await marks("undone")).toEqual([]);
    expect((await marks("done")).length).toBe(1);
  });

  it("keeps a payload of any text as it was sent", async () => {
    const mark = `quote ' " \\ \u2028 $1 {"a":1}`;
    await transact.asOperator((tx) => queue.enqueue(markJob, { mark }, { tx }));
    await waitForMarks(mark, 1);
  });

  it("adds one job for a key while one waits, and any number without a key", async () => {
    const startAfter = new Date(Date.now() + 3_600_000);
    const twice = async (options: { singletonKey?: string }, mark: string) => {
      await queue.enqueue(markJob, { mark }, { ...options, startAfter });
      await queue.enqueue(markJob, { mark }, { ...options, startAfter });
      const [row] = await database.sql<{ count: number }[]>`
        select count(*)::int as count from pgboss.job where data->>'mark' = ${mark}`;
      return row?.count;
    };
    expect(await twice({ singletonKey: "one" }, "with key")).toBe(1);
    expect(await twice({}, "without key")).toBe(2);
  });

  it("does not let the tenant role read or add jobs", async () => {
    const asTenant = (statement: string) =>
      database.sql.begin(async (tx) => {
        await tx`set local role turnpike_tenant`;
        await tx.unsafe(statement);
      });
    await expect(asTenant("select * from pgboss.job")).rejects.toMatchObject({ code: "42501" });
    await expect(asTenant("insert into pgboss.job (name) values ('test.mark')")).rejects.toThrow();
  });

  it("does not let the operator role read payloads", async () => {
    await expect(
      transact.asOperator((tx) => tx`select data from pgboss.job`),
    ).rejects.toMatchObject({ code: "42501" });
  });

  it.each(["throw", "exit", "memory"] as const)(
    "survives a job that ends its thread (%s), and tries it again in a new one",
    async (how) => {
      const before = supervisor.health().restarts;
      const mark = `crash ${how}`;
      await queue.enqueue(crashJob, { mark, how });
      const rows = await waitForMarks(mark, 2);
      expect(rows.map((row) => row.attempt)).toEqual([1, 2]);
      expect(rows[0]?.thread).not.toBe(rows[1]?.thread);
      expect(supervisor.health().restarts).toBeGreaterThan(before);
    },
    MINUTES_MS,
  );

  it("counts a job that used up its attempts, and logs it", async () => {
    await queue.enqueue(failJob, { mark: "x" });
    await vi.waitFor(() => expect(supervisor.health().failedCount).toBeGreaterThan(0), {
      timeout: MINUTES_MS,
    });
    const logged = lines.map((line) => JSON.parse(line)).find((line) => line.job === "test.fail");
    expect(logged).toMatchObject({ level: "error", isLast: true, msg: "job failed" });
  });

  it(
    "stops within its limit while a job hangs, and gives that job back",
    async () => {
      await queue.enqueue(hangJob, { mark: "hang" });
      await waitForMarks("hang", 1);
      await supervisor.stop();
      supervisor = startSupervisor();
      const second = await waitForMarks("hang", 2);
      expect(second.map((row) => row.attempt)).toEqual([1, 2]);
    },
    MINUTES_MS,
  );

  it("goes on, on both sides, after every connection to the database was cut", async () => {
    await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'turnpike-jobs'`;
    const mark = "after the cut";
    await vi.waitFor(() => queue.enqueue(markJob, { mark }), { timeout: MINUTES_MS, interval: 50 });
    const rows = await waitForMarks(mark, 1);
    expect(rows.map((row) => row.attempt)).toEqual([1]);
  });

  it("works off what waited for it without a poll for each", async () => {
    const backlogJob = defineJob({ ...marked, name: "test.backlog" });
    const waiting = ["one", "two", "three", "four", "five"];
    for (const mark of waiting) {
      await queue.enqueue(backlogJob, { mark });
    }
    const ran: string[] = [];
    const run = ({ mark }: { mark: string }) => {
      ran.push(mark);
      return Promise.resolve();
    };
    const runner = await startJobRunner({
      target: database.target,
      jobs: [registerJob({ job: backlogJob, run })],
      logger,
      pollSeconds: 600,
    });
    await vi.waitFor(() => expect(ran.toSorted()).toEqual(waiting.toSorted()), {
      timeout: MINUTES_MS,
    });
    await runner.stop(1_000);
  });

  it("is not alive once stopped", async () => {
    const other = startSupervisor();
    await vi.waitFor(() => expect(other.health().isAlive).toBe(true), { timeout: MINUTES_MS });
    await other.stop();
    expect(other.health().isAlive).toBe(false);
  });
});
