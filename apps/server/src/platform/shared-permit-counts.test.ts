import { once } from "node:events";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPermitCounts, type PermitCounts } from "./permit-counts.ts";
import type { PermitHammerLog, PermitHammerOrder } from "./shared-permit-counts.fixture.ts";
import {
  createSharedPermitCountsMemory,
  freeSharedPermitsOf,
  openSharedPermitCounts,
  PermitCountsFullError,
} from "./shared-permit-counts.ts";

const THREADS = 3;

function open(count: number, entries = 64): PermitCounts[] {
  const memory = createSharedPermitCountsMemory(entries, count);
  return Array.from({ length: count }, (_, index) =>
    openSharedPermitCounts(memory, { name: "test", holder: index + 1 }),
  );
}

describe.each(["in one thread", "shared by two threads"])("permits by owner, %s", (kind) => {
  it("are as many as the owner may hold, in any order of taking and returning", () => {
    const step = fc.record({
      thread: fc.nat({ max: 1 }),
      owner: fc.constantFrom("a", "b", "c"),
      isReturn: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const one = createPermitCounts();
        const threads = kind === "in one thread" ? [one, one] : open(2);
        const model = new Map<string, number>();
        const own = new Map<string, number>();
        for (const { thread, owner, isReturn } of steps) {
          const counts = threads[thread] ?? one;
          const place = kind === "in one thread" ? owner : `${owner}${String(thread)}`;
          const held = model.get(owner) ?? 0;
          const mine = own.get(place) ?? 0;
          if (!isReturn) {
            const isTaken = counts.tryTake(owner, 3);
            expect(isTaken).toBe(held < 3);
            model.set(owner, held + Number(isTaken));
            own.set(place, mine + Number(isTaken));
          } else if (mine > 0) {
            counts.giveBack(owner);
            model.set(owner, held - 1);
            own.set(place, mine - 1);
          }
          for (const seen of threads) {
            expect(seen.held(owner)).toBe(model.get(owner) ?? 0);
          }
        }
      }),
    );
  });
});

describe("permits that threads count together", () => {
  it("of a thread that has ended are free again", () => {
    const memory = createSharedPermitCountsMemory(64, 2);
    const [first, second] = [1, 2].map((holder) =>
      openSharedPermitCounts(memory, { name: "test", holder }),
    );
    expect([first?.tryTake("a", 2), second?.tryTake("a", 2), first?.tryTake("a", 2)]).toEqual([
      true,
      true,
      false,
    ]);
    freeSharedPermitsOf(memory, 2);
    expect([first?.tryTake("a", 2), first?.held("a")]).toEqual([true, 2]);
  });

  it("pass from owner to owner, however many there are in turn, and refuse more at once than there is room for", () => {
    const [counts] = open(1);
    for (let owner = 0; owner < 1_000; owner += 1) {
      expect(counts?.tryTake(`in turn ${String(owner)}`, 1)).toBe(true);
      counts?.giveBack(`in turn ${String(owner)}`);
    }
    for (let owner = 0; owner < 64; owner += 1) {
      expect(counts?.tryTake(`at once ${String(owner)}`, 1)).toBe(true);
    }
    expect(() => counts?.tryTake("one too many", 1)).toThrow(PermitCountsFullError);
    counts?.giveBack("at once 0");
    expect(counts?.tryTake("one more", 1)).toBe(true);
    expect(counts?.held("at once 1")).toBe(1);
  });

  it("are never more than an owner may hold while threads take and return them, though owners outnumber the entries", async () => {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const out = new Int32Array(new SharedArrayBuffer(4 * 90));
    const memory = createSharedPermitCountsMemory(64, THREADS);
    const entry = new URL("./shared-permit-counts.fixture.ts", import.meta.url);
    const threads = Array.from({ length: THREADS }, (_, index) => {
      const order: PermitHammerOrder = {
        memory,
        holder: index + 1,
        gate,
        out,
        max: 2,
        takes: 30_000,
      };
      const thread = new Worker(entry, { workerData: order });
      return { thread, ready: once(thread, "message") };
    });
    await Promise.all(threads.map(({ ready }) => ready));
    const ended = threads.map(({ thread }) => once(thread, "message"));
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    const logs = (await Promise.all(ended)).map(([log]) => log as PermitHammerLog);
    await Promise.all(threads.map(({ thread }) => thread.terminate()));
    expect(Math.max(...logs.map(({ most }) => most))).toBeLessThanOrEqual(2);
    expect(Math.min(...logs.map(({ taken }) => taken))).toBeGreaterThan(0);
    expect([...memory.held].filter((held) => held !== 0)).toEqual([]);
    expect([...out].filter((held) => held !== 0)).toEqual([]);
  });
});
