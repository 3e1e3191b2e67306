import { once } from "node:events";
import { Worker } from "node:worker_threads";
import {
  decideRateLimit,
  type RateLimit,
  type RateLimitState,
} from "@turnpike/domain/limits/rate-limit";
import { pollUntil } from "@turnpike/testkit/poll-until";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HammerOrder, HammerTake } from "./shared-rate-table.fixture.ts";
import {
  createSharedRateMemory,
  forgetDeadThread,
  openSharedRateTable,
  RateTableFullError,
  type SharedRateMemory,
} from "./shared-rate-table.ts";

const FULL: RateLimitState = { fullAtMs: 0 };
const THREADS = 3;

type Bucket = HammerOrder["buckets"][number];

function startThread(order: HammerOrder): { thread: Worker; ready: Promise<unknown> } {
  const entry = new URL("./shared-rate-table.fixture.ts", import.meta.url);
  const thread = new Worker(entry, { workerData: order });
  return { thread, ready: once(thread, "message") };
}

/** Lets several threads hammer the same buckets at once. @returns Every decision of all of them. */
async function hammer(input: {
  memory: SharedRateMemory;
  buckets: readonly Bucket[];
  takes: number;
  givesBackEvery?: number;
}): Promise<HammerTake[]> {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const threads = Array.from({ length: THREADS }, (_, index) =>
    startThread({ givesBackEvery: 0, ...input, gate, holder: index + 1 }),
  );
  await Promise.all(threads.map(({ ready }) => ready));
  const logs = threads.map(({ thread }) => once(thread, "message"));
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  const all = await Promise.all(logs);
  await Promise.all(threads.map(({ thread }) => thread.terminate()));
  return all.flatMap(([log]) => log as HammerTake[]);
}

/** One after the other by the reference, in the order of their states: each must be what the reference decides. */
function expectAsReference(rateLimit: RateLimit, takes: readonly HammerTake[]): void {
  const passed = takes.filter((take) => take.allowed).sort((a, b) => a.fullAtMs - b.fullAtMs);
  const states = new Set<number>();
  let state = FULL;
  let before = 0;
  const wrong: unknown[] = [];
  for (const take of passed) {
    const { nowMs, fullAtMs } = take;
    const expected = decideRateLimit({ rateLimit, state, cost: 1, nowMs });
    if (!expected.allowed || expected.next.fullAtMs !== fullAtMs || nowMs < before) {
      wrong.push({ take, expected, before });
    }
    state = expected.next;
    before = nowMs;
    states.add(fullAtMs);
  }
  expect(wrong).toEqual([]);
  const refused = takes.filter((take) => !take.allowed);
  const unfounded = refused.filter(
    ({ nowMs, fullAtMs }) =>
      !states.has(fullAtMs) ||
      decideRateLimit({ rateLimit, state: { fullAtMs }, cost: 1, nowMs }).allowed,
  );
  expect(unfounded).toEqual([]);
}

/** Calls of this many may pass between two moments, at most: the bucket, and what flowed back meanwhile. */
function mostBetween(rateLimit: RateLimit, fromMs: number, toMs: number): number {
  return (
    rateLimit.limit +
    Math.floor(((toMs - fromMs) * rateLimit.limit) / (rateLimit.windowSeconds * 1_000) + 1e-3)
  );
}

const rateLimit = fc
  .record({
    limit: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 200_000 })),
    windowSeconds: fc.constantFrom(1, 60, 3_600),
  })
  .map((bounds): RateLimit => ({ name: "test", ...bounds }));

describe("buckets that threads share", () => {
  it("let pass and refuse what the reference does, one decision after the other", async () => {
    const buckets: Bucket[] = [
      { name: "one call", rateLimit: { name: "a", limit: 1, windowSeconds: 3_600 } },
      // Nothing flows back while the test runs, however slow the machine: one call takes more than eight minutes.
      { name: "some calls", rateLimit: { name: "b", limit: 5_000, windowSeconds: 30 * 86_400 } },
      { name: "flowing", rateLimit: { name: "c", limit: 20_000, windowSeconds: 1 } },
      { name: "never full", rateLimit: { name: "d", limit: 1_000_000, windowSeconds: 1 } },
    ];
    const memory = createSharedRateMemory(64);
    const takes = await hammer({ memory, buckets, takes: 40_000 });
    for (const [index, bucket] of buckets.entries()) {
      const own = takes.filter((take) => take.bucket === index);
      expectAsReference(bucket.rateLimit, own);
      const passed = own.filter((take) => take.allowed).length;
      expect(passed).toBeGreaterThanOrEqual(Math.min(own.length, bucket.rateLimit.limit));
    }
    const countOf = (index: number) =>
      takes.filter((take) => take.bucket === index && take.allowed).length;
    expect(countOf(0)).toBe(1);
    expect(countOf(1)).toBe(5_000);
  });

  it("stay exact while entries change their owner all the time", async () => {
    // A hundred buckets in sixty-four entries: most are full again, and forgotten, before they are asked for again.
    const fleeting = Array.from(
      { length: 100 },
      (_, index): Bucket => ({
        name: `fleeting ${String(index)}`,
        rateLimit: { name: "f", limit: 1_000_000, windowSeconds: 1 },
      }),
    );
    const lasting: Bucket = {
      name: "lasting",
      rateLimit: { name: "l", limit: 200, windowSeconds: 3_600 },
    };
    const buckets = [...fleeting, lasting];
    const memory = createSharedRateMemory(64);
    const takes = await hammer({ memory, buckets, takes: 30_000 });
    for (const [index, bucket] of buckets.entries()) {
      expectAsReference(
        bucket.rateLimit,
        takes.filter((take) => take.bucket === index),
      );
    }
    expect(takes.filter((take) => take.bucket === 100 && take.allowed)).toHaveLength(200);
    expect(Number(memory.claims[0])).toBeGreaterThan(200);
  });

  it("never let more pass than the limit while calls are given back in between", async () => {
    const buckets: Bucket[] = [
      { name: "slow", rateLimit: { name: "a", limit: 300, windowSeconds: 3_600 } },
      { name: "quick", rateLimit: { name: "b", limit: 5_000, windowSeconds: 1 } },
    ];
    const takes = await hammer({
      memory: createSharedRateMemory(64),
      buckets,
      takes: 30_000,
      givesBackEvery: 3,
    });
    for (const [index, bucket] of buckets.entries()) {
      const own = takes.filter((take) => take.bucket === index);
      const kept = own
        .filter((take) => take.allowed && !take.isGivenBack)
        .map((take) => take.nowMs)
        .sort((a, b) => a - b);
      const first = kept[0] ?? 0;
      const excess = kept.findIndex(
        (nowMs, count) => count + 1 > mostBetween(bucket.rateLimit, first, nowMs),
      );
      expect(excess).toBe(-1);
      expect(kept.length).toBeGreaterThanOrEqual(Math.floor(bucket.rateLimit.limit * 0.99));
    }
  });

  it("go on when a thread ends anywhere", async () => {
    const memory = createSharedRateMemory(64);
    const buckets: Bucket[] = [
      ...Array.from({ length: 89 }, (_, index) => ({
        name: `fleeting ${String(index)}`,
        rateLimit: { name: "f", limit: 1_000_000, windowSeconds: 1 },
      })),
      { name: "kept", rateLimit: { name: "k", limit: 100_000, windowSeconds: 3_600 } },
    ];
    const gate = new Int32Array(new SharedArrayBuffer(4));
    Atomics.store(gate, 0, 1);
    for (let round = 0; round < 8; round += 1) {
      const { thread, ready } = startThread({
        memory,
        holder: 7,
        gate,
        buckets,
        takes: 100_000_000,
        givesBackEvery: 0,
      });
      await ready;
      const before = Atomics.load(memory.claims, 0);
      await pollUntil(
        "entries change their owner",
        () => Atomics.load(memory.claims, 0) > before + 500n,
      );
      await thread.terminate();
      forgetDeadThread(memory, 7);
      expect(Atomics.load(memory.mutex, 0)).toBe(0);
    }
    const takes = await hammer({ memory, buckets, takes: 5_000 });
    expect(takes).toHaveLength(THREADS * 5_000);
    for (const [index, bucket] of buckets.slice(0, 89).entries()) {
      expectAsReference(
        bucket.rateLimit,
        takes.filter((take) => take.bucket === index),
      );
    }
  });
});

describe("one thread", () => {
  it("decides as the reference over any sequence of calls, and looking takes nothing", () => {
    const steps = fc.array(
      fc.record({
        bucket: fc.nat(80),
        gapMs: fc.oneof(fc.constant(0), fc.nat(50), fc.nat(5_000)),
        kind: fc.constantFrom("take", "look"),
      }),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(rateLimit, steps, (limit, sequence) => {
        let nowMs = 10;
        const table = openSharedRateTable(createSharedRateMemory(128), {
          holder: 1,
          whenFull: "refuse",
          nowMs: () => nowMs,
        });
        const states = new Map<number, RateLimitState>();
        for (const { bucket, gapMs, kind } of sequence) {
          nowMs += gapMs;
          const state = states.get(bucket) ?? FULL;
          const expected = decideRateLimit({ rateLimit: limit, state, cost: 1, nowMs });
          const name = String(bucket);
          const decision =
            kind === "look" ? table.look(name, limit, 1) : table.take(name, limit, 1).decision;
          expect(decision).toEqual(expected);
          if (kind === "take" && expected.allowed) {
            states.set(bucket, expected.next);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it("refuses a bucket for which there is no free entry, or forgets the one that is nearest to full", () => {
    const hour: RateLimit = { name: "hour", limit: 10, windowSeconds: 3_600 };
    const memory = createSharedRateMemory(64);
    const open = (whenFull: "refuse" | "forget") =>
      openSharedRateTable(memory, { holder: 1, whenFull });
    const table = open("refuse");
    for (let index = 0; index < 64; index += 1) {
      const cost = index === 40 ? 1 : 2;
      expect(table.take(`bucket ${String(index)}`, hour, cost).decision.allowed).toBe(true);
    }
    expect(() => table.take("one more", hour, 1)).toThrow(RateTableFullError);
    expect(table.look("bucket 40", hour, 0).remaining).toBe(9);
    expect(open("forget").take("one more", hour, 1).decision.remaining).toBe(9);
    expect(table.look("bucket 40", hour, 0).remaining).toBe(10);
    expect(table.look("bucket 41", hour, 0).remaining).toBe(8);
  });
});
