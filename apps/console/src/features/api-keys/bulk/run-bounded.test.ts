import { describe, expect, it } from "vitest";
import { runBounded } from "./run-bounded.ts";

describe("runBounded", () => {
  it("runs all, never more than the limit at a time, and counts each", async () => {
    const items = Array.from({ length: 23 }, (_, index) => index);
    const seen: number[] = [];
    const counts: number[] = [];
    let running = 0;
    let most = 0;
    const failed = await runBounded({
      items,
      limit: 4,
      run: async (item) => {
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        seen.push(item);
        running -= 1;
      },
      onDone: (count) => counts.push(count),
    });
    expect(failed).toEqual([]);
    expect(most).toBe(4);
    expect(seen.toSorted((a, b) => a - b)).toEqual(items);
    expect(counts).toEqual(items.map((index) => index + 1));
  });

  it("goes on after failures and names them in the order of the items", async () => {
    const failed = await runBounded({
      items: ["a", "b", "c", "d"],
      limit: 2,
      run: (item) =>
        item === "b" || item === "d" ? Promise.reject(new Error(item)) : Promise.resolve(),
    });
    expect(failed).toEqual([
      { item: "b", cause: new Error("b") },
      { item: "d", cause: new Error("d") },
    ]);
  });

  it("does nothing with nothing", async () => {
    expect(await runBounded({ items: [], limit: 4, run: () => Promise.reject() })).toEqual([]);
  });
});
