import { threadId, workerData } from "node:worker_threads";
import { type ConnectionTarget, connect } from "@turnpike/db/client";
import { z } from "zod";
import { defineJob, registerJob } from "./define-job.ts";
import { createThreadLogger, runJobThread } from "./job-thread.ts";

const settings = { retryLimit: 3, retryDelaySeconds: 1, retryDelaySecondsMax: 1 };

/** Notes that it ran. */
export const markJob = defineJob({
  ...settings,
  name: "test.mark",
  schema: z.object({ mark: z.string() }),
  expireInSeconds: 60,
});

/** Ends its whole thread on the first attempt. */
export const crashJob = defineJob({
  ...settings,
  name: "test.crash",
  schema: z.object({ mark: z.string(), how: z.enum(["throw", "exit", "memory"]) }),
  expireInSeconds: 1,
});

/** Never ends by itself. */
export const hangJob = defineJob({
  ...settings,
  name: "test.hang",
  schema: z.object({ mark: z.string() }),
  expireInSeconds: 60,
});

/** Fails on each attempt, for good. */
export const failJob = defineJob({
  ...settings,
  name: "test.fail",
  retryLimit: 0,
  schema: z.object({ mark: z.string() }),
  expireInSeconds: 60,
});

export type FixtureData = { target: ConnectionTarget };

/** Each of the ways in which a job can take its thread with it. */
const endThread = {
  throw: () =>
    setImmediate(() => {
      throw new Error("a job that throws outside of its promise");
    }),
  exit: () => process.exit(3),
  memory: () => {
    const hoard: unknown[] = [];
    for (;;) {
      // Numbers, not objects, so that the collector has little to do; and small pieces, because an allocation that
      // overshoots the limit by much ends the process instead of the thread.
      hoard.push(Array.from({ length: 20_000 }, (_, index) => index + 0.5));
    }
  },
} as const;

async function startFixture({ target }: FixtureData): Promise<void> {
  const sql = connect(target, {
    connectionsMax: 1,
    applicationName: "fixture",
    statementTimeoutMs: 60_000,
  });
  const note = (mark: string, attempt: number) =>
    sql`insert into marks (mark, attempt, thread) values (${mark}, ${attempt}, ${threadId})`;

  await runJobThread({
    target,
    superviseSeconds: 1,
    pollSeconds: 0.5,
    logger: createThreadLogger("info"),
    close: () => sql.end({ timeout: 1 }),
    jobs: [
      registerJob({
        job: markJob,
        run: async ({ mark }, { attempt }) => {
          await note(mark, attempt);
        },
      }),
      registerJob({
        job: crashJob,
        run: async ({ mark, how }, { attempt }) => {
          await note(mark, attempt);
          if (attempt === 1) {
            endThread[how]();
            await new Promise(() => undefined);
          }
        },
      }),
      registerJob({
        job: hangJob,
        run: async ({ mark }, { attempt }) => {
          await note(mark, attempt);
          if (attempt === 1) {
            await new Promise(() => undefined);
          }
        },
      }),
      registerJob({
        job: failJob,
        run: () => Promise.reject(new Error("always")),
      }),
    ],
  });
}

await startFixture(workerData as FixtureData);
