import type { ConnectionTarget } from "@turnpike/db/client";
import { type JobWithMetadata, PgBoss } from "pg-boss";
import type { RegisteredJob } from "./define-job.ts";
import { toQueueOptions } from "./job-queue.ts";
import { toQueueConnection } from "./jobs.store.ts";
import type { Logger } from "./logger.ts";
import { queueClock } from "./queue-clock.ts";

export interface JobRunner {
  /** Jobs that used up their attempts and are still kept, over all processes. */
  countFailed(): Promise<number>;
  /** Takes no new jobs and waits for those that run; what still runs then is given back to be tried again. */
  stop(timeoutMs: number): Promise<void>;
}

export type JobRunnerOptions = {
  target: ConnectionTarget;
  jobs: readonly RegisteredJob[];
  logger: Logger;
  /** How often lost attempts are looked for. Default 10. */
  superviseSeconds?: number;
  /** How often retries and jobs whose wake-up was lost are looked for, in each queue. Default 5. */
  pollSeconds?: number;
};

/** Three that work and one that supervises. */
const CONNECTIONS_MAX = 4;
/** A floor under wake-ups, which a pooler may swallow and retries do not send. */
const POLL_SECONDS = 5;
const SUPERVISE_SECONDS = 10;

async function runJob(
  registered: RegisteredJob,
  job: JobWithMetadata<object>,
  logger: Logger,
): Promise<void> {
  const facts = { job: job.name, jobId: job.id, attempt: job.retryCount + 1 };
  const isLast = job.retryCount >= job.retryLimit;
  try {
    await registered.run(job.data ?? {}, {
      attempt: facts.attempt,
      isLast,
      signal: job.signal,
    });
    logger.debug(facts, "job done");
  } catch (error) {
    logger[isLast ? "error" : "warn"]({ ...facts, isLast, err: error }, "job failed");
    throw error;
  }
}

/** Begins to run jobs, here and now; call it in a worker thread. */
export async function startJobRunner(options: JobRunnerOptions): Promise<JobRunner> {
  const { jobs, logger } = options;
  const superviseSeconds = options.superviseSeconds ?? SUPERVISE_SECONDS;
  const pollSeconds = options.pollSeconds ?? POLL_SECONDS;
  const boss = new PgBoss({
    ...toQueueConnection(options.target, CONNECTIONS_MAX),
    clock: queueClock,
    useListenNotify: true,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
  });
  boss.on("error", (error) => {
    logger.warn({ err: error }, "the job queue reports an error");
  });
  boss.on("warning", (warning) => {
    logger.warn({ warning }, "the job queue warns");
  });
  await boss.start();
  const names = jobs.map((job) => job.definition.name);
  for (const registered of jobs) {
    const { name } = registered.definition;
    const queue = toQueueOptions(registered.definition);
    await boss.createQueue(name, queue);
    // The policy of a queue cannot change; the rest follows the code.
    const { policy: _policy, ...changeable } = queue;
    await boss.updateQueue(name, changeable);
    if (registered.cron !== undefined) {
      await boss.schedule(name, registered.cron, {}, { tz: "UTC", missed: "once" });
    }
    let workerId: string | undefined;
    workerId = await boss.work(
      name,
      {
        includeMetadata: true,
        batchSize: 1,
        pollingIntervalSeconds: pollSeconds,
        notifyPollingIntervalSeconds: pollSeconds,
      },
      async (batch: JobWithMetadata<object>[]) => {
        try {
          for (const job of batch) {
            await runJob(registered, job, logger);
          }
        } finally {
          // One wake-up stands for all jobs waiting at that moment, so each finished job fetches the next: without this a
          // backlog would be worked off one job a poll.
          if (workerId !== undefined) {
            boss.notifyWorker(workerId);
          }
        }
      },
    );
  }
  for (const schedule of await boss.getSchedules()) {
    if (!jobs.some((job) => job.cron !== undefined && job.definition.name === schedule.name)) {
      // Left behind by a version that had this job.
      await boss.unschedule(schedule.name);
    }
  }
  return {
    async countFailed() {
      const queues = await boss.getQueues(names);
      return queues.reduce((sum, queue) => sum + queue.failedCount, 0);
    },
    stop: (timeoutMs) => boss.stop({ graceful: true, timeout: timeoutMs }),
  };
}
