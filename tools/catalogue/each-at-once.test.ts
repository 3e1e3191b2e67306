import { expect, it } from "vitest";
import { eachAtOnce } from "./each-at-once.ts";

it("works on each item once, never on more at a time than it may, and on as many as it may", async () => {
  const done: number[] = [];
  let running = 0;
  let runningMost = 0;
  await eachAtOnce([1, 2, 3, 4, 5], {
    atOnce: 2,
    async work(item) {
      running += 1;
      runningMost = Math.max(runningMost, running);
      await Promise.resolve();
      running -= 1;
      done.push(item);
    },
  });
  expect({ done: done.toSorted(), runningMost }).toEqual({ done: [1, 2, 3, 4, 5], runningMost: 2 });
});

it("begins nothing after a failure, which it throws", async () => {
  const begun: number[] = [];
  const work = async (item: number) => {
    begun.push(item);
    await Promise.resolve();
    throw new Error(`${String(item)} failed`);
  };
  await expect(eachAtOnce([1, 2, 3, 4], { atOnce: 2, work })).rejects.toThrow("1 failed");
  expect(begun).toEqual([1, 2]);
});
