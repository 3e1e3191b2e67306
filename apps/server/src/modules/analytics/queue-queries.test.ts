import { refusalOf } from "@turnpike/testkit/refusal-of";
import { expect, it } from "vitest";
import { createQueue } from "./queue-queries.ts";

/** Work that ends when it is told to. */
function makeWork() {
  const ends: (() => void)[] = [];
  const started: number[] = [];
  return {
    started,
    work: (id: number) => () =>
      new Promise<number>((resolve) => {
        started.push(id);
        ends.push(() => resolve(id));
      }),
    endOldest: () => ends.shift()?.(),
  };
}

it("runs as many at once as it may, and the others in the order they came", async () => {
  const inTurn = createQueue({ running: 2, waiting: 10, waitMs: 60_000 });
  const { work, started, endOldest } = makeWork();
  const all = [1, 2, 3, 4].map((id) => inTurn(work(id)));
  expect(started).toEqual([1, 2]);
  endOldest();
  await all[0];
  await expect.poll(() => started).toEqual([1, 2, 3]);
  endOldest();
  await all[1];
  await expect.poll(() => started).toEqual([1, 2, 3, 4]);
  endOldest();
  endOldest();
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
});

it("gives the place of work that failed to the next", async () => {
  const inTurn = createQueue({ running: 1, waiting: 10, waitMs: 60_000 });
  const failed = inTurn(() => Promise.reject(new Error("no")));
  const next = inTurn(() => Promise.resolve("next"));
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("next");
  expect(await inTurn(() => Promise.resolve("after"))).toBe("after");
});

it("refuses who finds the queue full, and who has waited too long", async () => {
  const inTurn = createQueue({ running: 1, waiting: 1, waitMs: 20 });
  const { work, endOldest } = makeWork();
  const running = inTurn(work(1));
  const waits = refusalOf(inTurn(work(2)));
  expect(await refusalOf(inTurn(work(3)))).toMatchObject({ code: "OVERLOADED" });
  expect(await waits).toMatchObject({ code: "OVERLOADED" });
  endOldest();
  expect(await running).toBe(1);
  expect(await inTurn(() => Promise.resolve("free"))).toBe("free");
});
