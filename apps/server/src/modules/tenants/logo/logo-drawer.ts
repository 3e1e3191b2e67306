import { createTaskProcess, TaskLostError } from "#platform/task-process.ts";
import type { DrawLogoTask, DrawnLogo } from "./logo-pictures.ts";

/** Logos are rare: more at once than this is no one's work. */
const WAITING_MAX = 8;
const TIMEOUT_MS = 15_000;
const IDLE_MS = 10_000;

/** Draws logos where a file that was made to do harm can do none. */
export type LogoDrawer = {
  /** @throws {AppError} `OVERLOADED` when too many wait already. */
  draw(task: DrawLogoTask): Promise<DrawnLogo>;
};

/** @param options.timeoutMs - How long a drawing may take. Left out: 15 seconds. */
export function createLogoDrawer(options: { timeoutMs?: number } = {}): LogoDrawer {
  const process = createTaskProcess<DrawLogoTask, DrawnLogo>({
    entry: new URL("./draw-logo-process.ts", import.meta.url),
    waitingMax: WAITING_MAX,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    idleMs: IDLE_MS,
    heapMegabytes: 96,
    // One core at most.
    env: { VIPS_CONCURRENCY: "1" },
  });
  return {
    async draw(task) {
      try {
        return await process.run(task);
      } catch (error) {
        if (error instanceof TaskLostError) {
          return { ok: false, reason: "The picture takes too much work to draw." };
        }
        throw error;
      }
    },
  };
}
