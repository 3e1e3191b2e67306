import { AppError } from "@turnpike/domain/errors/app-error";

/** Runs work when its turn has come. @throws {AppError} `OVERLOADED` when it does not come in time. */
export type Queue = <Result>(work: () => Promise<Result>) => Promise<Result>;

function overloaded(): AppError {
  return new AppError({
    code: "OVERLOADED",
    publicMessage: "Too many questions about usage are under way. Try again in a moment.",
    headers: { "retry-after": "5" },
  });
}

/**
 * Lets a few run at once and the others wait in the order they came: questions share the connections to the database with
 * everything else, and metering must never wait behind charts.
 *
 * @param limits.running - How many run at once, 1 or more.
 * @param limits.waiting - How many may wait; further ones are refused at once.
 * @param limits.waitMs - How long each may wait, in milliseconds.
 */
export function createQueue(limits: { running: number; waiting: number; waitMs: number }): Queue {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function waitForTurn(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const take = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(take), 1);
        reject(overloaded());
      }, limits.waitMs);
      waiting.push(take);
    });
  }

  return async (work) => {
    if (running < limits.running) {
      running += 1;
    } else if (waiting.length < limits.waiting) {
      // Whoever ends hands its place on, so that nobody comes in between.
      await waitForTurn();
    } else {
      throw overloaded();
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) {
        running -= 1;
      } else {
        next();
      }
    }
  };
}
