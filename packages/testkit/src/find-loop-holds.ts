import { LOOP_HELD } from "../../../apps/server/src/platform/loop-watch.ts";

/** Processor time, so that a busy machine does not matter; generous, because code is compiled when it first runs, and cores differ. */
const HOLD_MS_MAX = 1_000;

/** Lines of the product's log that say its thread was held for too long, each with the requests that may have caused it. */
export function findLoopHolds(output: string): string[] {
  return output
    .split("\n")
    .filter((line) => line.includes(LOOP_HELD))
    .filter((line) => Number(/"heldMs":(\d+)/.exec(line)?.[1]) > HOLD_MS_MAX);
}
