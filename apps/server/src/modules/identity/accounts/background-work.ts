import { AppError } from "@turnpike/domain/errors/app-error";
import type { Logger } from "#platform/logger.ts";

/** Work that starts after the answer. Failures are logged. On shutdown, the process waits for work in progress. */
export interface BackgroundWork {
  /** @throws {AppError} `OVERLOADED` when too much is in progress. */
  start(what: string, work: () => Promise<unknown>): void;
  /** Resolves when nothing is in progress. */
  settle(): Promise<void>;
}

const UNDER_WAY_MAX = 200;

export function createBackgroundWork(deps: { logger: Pick<Logger, "error"> }): BackgroundWork {
  const underWay = new Set<Promise<void>>();
  return {
    start(what, work) {
      if (underWay.size >= UNDER_WAY_MAX) {
        throw new AppError({
          code: "OVERLOADED",
          publicMessage: "Too many requests are being processed. Try again in a few seconds.",
          headers: { "retry-after": "2" },
        });
      }
      const running = new Promise<void>((resolve) => {
        setImmediate(resolve);
      })
        .then(work)
        .then(
          () => undefined,
          (error: unknown) => {
            deps.logger.error({ err: error, what }, "background work of the sign-in failed");
          },
        )
        .finally(() => underWay.delete(running));
      underWay.add(running);
    },
    settle: async () => {
      while (underWay.size > 0) {
        await Promise.all(underWay);
      }
    },
  };
}
