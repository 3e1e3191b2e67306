import { serveTasks } from "./task-thread.ts";

/** Doubles numbers; fails for those below zero, and never answers for 13. */
serveTasks(async (input: number) => {
  if (input < 0) {
    throw new Error("Below zero.");
  }
  return input === 13 ? await new Promise(() => undefined) : input * 2;
});
