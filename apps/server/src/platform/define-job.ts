import { z } from "zod";

/** A kind of background work: its payload and how often and how long it is tried. */
export type JobDefinition<Payload extends object> = {
  /** Module and verb, such as `mail.deliver`; the name of its queue. */
  name: string;
  /** Parses what was stored: a payload may have been enqueued by an older version. */
  schema: z.ZodType<Payload>;
  /** Attempts after the first one. */
  retryLimit: number;
  /** Wait before the second attempt; it doubles for each one after. */
  retryDelaySeconds: number;
  /** No retry waits longer. */
  retryDelaySecondsMax: number;
  /** After so long an attempt counts as lost and the next one may begin. */
  expireInSeconds: number;
  /** Of long work: an attempt that nothing is heard of for so long, because its process was killed, counts as lost. */
  heartbeatSeconds?: number;
};

/** What an attempt knows of itself. */
export type JobAttempt = {
  /** 1 for the first. */
  attempt: number;
  /** True when a failure now is final. */
  isLast: boolean;
  /** Aborted when the attempt has expired or the thread must stop. */
  signal: AbortSignal;
};

/** A job together with the code that does it, its payload's type erased. */
export type RegisteredJob = {
  definition: Omit<JobDefinition<object>, "schema">;
  /** When it runs by itself, as a cron expression in UTC. */
  cron?: string;
  run(payload: unknown, attempt: JobAttempt): Promise<void>;
};

export function defineJob<Payload extends object>(
  definition: JobDefinition<Payload>,
): JobDefinition<Payload> {
  return definition;
}

/**
 * Binds a job to the code that does it. An attempt may be repeated after a crash even though it had its effect, so the
 * code must be idempotent.
 *
 * @throws {z.ZodError} From `run`, when the stored payload is not of the schema.
 */
export function registerJob<Payload extends object>(input: {
  job: JobDefinition<Payload>;
  run(payload: Payload, attempt: JobAttempt): Promise<void>;
}): RegisteredJob {
  return {
    definition: input.job,
    run: (payload, attempt) => input.run(input.job.schema.parse(payload), attempt),
  };
}

const UPKEEP = { retryLimit: 3, retryDelaySeconds: 30, retryDelaySecondsMax: 300 };
const UPKEEP_EXPIRES_SECONDS = 15 * 60;

/** A job without payload that runs by the clock, once over all processes. */
export function registerSchedule(input: {
  name: string;
  cron: string;
  run(attempt: JobAttempt): Promise<unknown>;
}): RegisteredJob {
  const job = defineJob({
    ...UPKEEP,
    name: input.name,
    expireInSeconds: UPKEEP_EXPIRES_SECONDS,
    schema: z.object({}),
  });
  return {
    ...registerJob({
      job,
      run: async (_payload, attempt) => {
        await input.run(attempt);
      },
    }),
    cron: input.cron,
  };
}
