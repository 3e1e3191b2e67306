import { StartupError } from "./startup-error.ts";

/** What a start waits for, as the log and the final error call it. */
export type StartWaitInput = {
  /** Subject of both sentences, such as `The database at localhost, port 5432`. */
  what: string;
  hint: string;
  /** Left out: it waits silently. */
  logger:
    | {
        info(fields: object, message: string): void;
        warn(fields: object, message: string): void;
      }
    | undefined;
};

const FIRST_NOTICE_MS = 3_000;
const NOTICE_INTERVAL_MS = 15_000;
const GIVE_UP_MS = 180_000;

/**
 * Waits during a start: says what it waits for once that takes seconds, warns once that takes longer than any start should, and
 * gives up only after minutes.
 *
 * @param work - Its signal is aborted when the wait is given up.
 * @throws {StartupError} `DATABASE_UNREACHABLE` when it gave up; otherwise what the work throws.
 */
export async function waitAtStart<Result>(
  { what, hint, logger }: StartWaitInput,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const givenUp = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const startedAtMs = performance.now();
  const notify = (level: "info" | "warn"): void => {
    const waitedSeconds = Math.round((performance.now() - startedAtMs) / 1_000);
    logger?.[level]({ waitedSeconds }, `${what} has not answered yet: the start waits for it`);
  };
  const deadline = new Promise<never>((_resolve, reject) => {
    timers.push(
      setTimeout(() => {
        givenUp.abort();
        const minutes = String(Math.floor(GIVE_UP_MS / 60_000));
        reject(
          new StartupError({
            code: "DATABASE_UNREACHABLE",
            message: `${what} did not answer within ${minutes} minutes`,
            hint,
          }),
        );
      }, GIVE_UP_MS),
    );
  });
  timers.push(
    setTimeout(() => {
      // A first start on a slow disk takes this long.
      notify("info");
      timers.push(setInterval(() => notify("warn"), NOTICE_INTERVAL_MS));
    }, FIRST_NOTICE_MS),
  );
  try {
    return await Promise.race([work(givenUp.signal), deadline]);
  } finally {
    timers.forEach(clearTimeout);
  }
}
