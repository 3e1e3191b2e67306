import { expect, it, onTestFinished } from "vitest";
import {
  createSharedPermitCountsMemory,
  openSharedPermitCounts,
} from "#platform/shared-permit-counts.ts";
import { createSharedPermitsMemory, openSharedPermits } from "#platform/shared-permits.ts";
import type { PermitVerdict } from "../decide/limits/call-permits.ts";
import { type PermitUse, type ShareUpstream, UpstreamPool } from "./upstream-pool.ts";
import { createUpstreamRouter } from "./upstream-router.ts";

function startPool(
  maxConcurrent: number,
  { share, tenantSharePercent = 100 }: { share?: ShareUpstream; tenantSharePercent?: number } = {},
) {
  const [upstream] = createUpstreamRouter([
    {
      name: "main",
      url: "http://127.0.0.1:9",
      timeouts: { connectMs: 1, headersMs: 1, idleMs: 1 },
      maxRequestBytes: 1,
      preserveHost: false,
      maxConcurrent,
      tenantSharePercent,
    },
  ]).upstreams;
  const clock = { nowMs: 1000, now: () => new Date(0), monotonicMs: () => clock.nowMs };
  const pool = new UpstreamPool({ upstream: upstream!, clock, share });
  onTestFinished(() => pool.close(0));
  return { pool, clock };
}

const CALL = { tenantId: "ten_one" };
const isTaken = (verdict: PermitVerdict) => verdict === "taken";

/** What each of several threads sees of one upstream. */
function startThreads(threads: number): ShareUpstream[] {
  const memory = createSharedPermitsMemory(2, threads);
  const tenants = createSharedPermitCountsMemory(64, threads);
  return Array.from({ length: threads }, (_, index) => ({
    permits: (max) => openSharedPermits(memory, { kind: 0, holder: index + 1, max }),
    preflights: (max) => openSharedPermits(memory, { kind: 1, holder: index + 1, max }),
    holders: () => openSharedPermitCounts(tenants, { name: "upstream", holder: index + 1 }),
  }));
}

const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED", syscall: "connect" });
const reset = Object.assign(new Error("reset"), { code: "ECONNRESET", syscall: "read" });

it("stops to try for a second after five failures to connect in a row", () => {
  const { pool, clock } = startPool(1);
  for (let i = 0; i < 4; i++) {
    pool.recordFailure(refused);
  }
  expect(pool.isFailing()).toBe(false);
  pool.recordFailure(refused);
  expect(pool.isFailing()).toBe(true);
  clock.nowMs += 999;
  expect(pool.isFailing()).toBe(true);
  clock.nowMs += 1;
  expect(pool.isFailing()).toBe(false);
  pool.recordFailure(refused);
  expect(pool.isFailing()).toBe(true);
});

it("forgets failures at the first answer", () => {
  const { pool } = startPool(1);
  for (let i = 0; i < 9; i++) {
    pool.recordFailure(refused);
  }
  pool.recordAnswer();
  pool.recordFailure(refused);
  expect(pool.isFailing()).toBe(false);
});

it("does not count broken answers as failures to connect", () => {
  const { pool } = startPool(1);
  for (let i = 0; i < 9; i++) {
    pool.recordFailure(reset);
  }
  expect(pool.isFailing()).toBe(false);
});

it("gives out as many places as the upstream has", () => {
  const { pool } = startPool(2);
  const take = () => pool.tryAcquire(CALL);
  expect([take(), take(), take()]).toEqual(["taken", "taken", "full"]);
  pool.release(CALL);
  expect([take(), pool.active]).toEqual(["taken", 2]);
});

it.each([
  { max: 1, preflights: 1 },
  { max: 7, preflights: 1 },
  { max: 8, preflights: 2 },
])("gives preflights a quarter of $max places, and at least one", ({ max, preflights }) => {
  const { pool } = startPool(max);
  const take = (use: PermitUse, times: number) =>
    Array.from({ length: times }, () => pool.tryAcquire(use)).filter(isTaken).length;
  expect(take("preflight", max)).toBe(preflights);
  expect(take(CALL, max)).toBe(max - preflights);
  pool.release("preflight");
  expect([take("preflight", max), take(CALL, max)]).toEqual([1, 0]);
});

it("leaves a quarter of all places to calls, however many threads take preflights", () => {
  const threads = 6;
  const pools = startThreads(threads).map((share) => startPool(8, { share }).pool);
  const take = (use: PermitUse) =>
    [...pools, ...pools].map((pool) => pool.tryAcquire(use)).filter(isTaken).length;
  expect([take("preflight"), take(CALL), take(CALL)]).toEqual([6, 2, 0]);
  pools[0]?.release("preflight");
  expect([take("preflight"), take(CALL)]).toEqual([0, 1]);
});

it.each([1, 4])("keeps as many places free as one tenant holds, over %i threads", (threads) => {
  const shares = threads === 1 ? [undefined] : startThreads(threads);
  const pools = shares.map(
    (share) => startPool(100, { tenantSharePercent: 50, ...(share && { share }) }).pool,
  );
  const flood = (tenantId: string) => {
    const verdicts = Array.from(
      { length: 120 },
      (_, index) => pools[index % pools.length]?.tryAcquire({ tenantId }) ?? "full",
    );
    return [verdicts.filter(isTaken).length, verdicts.at(-1)];
  };
  expect(flood("ten_one")).toEqual([50, "over-share"]);
  expect(flood("ten_two")).toEqual([25, "over-share"]);
  expect(flood("ten_three")).toEqual([12, "over-share"]);
  expect(flood("ten_one")).toEqual([0, "over-share"]);
});

it.each([1, 4])(
  "gives a tenant its share beside any number of preflights, over %i threads",
  (threads) => {
    const shares = threads === 1 ? [undefined] : startThreads(threads);
    const pools = shares.map(
      (share) => startPool(100, { tenantSharePercent: 50, ...(share && { share }) }).pool,
    );
    const flood = (use: PermitUse, times: number) =>
      Array.from(
        { length: times },
        (_, index) => pools[index % pools.length]?.tryAcquire(use) ?? "full",
      ).filter(isTaken).length;
    expect(flood("preflight", 24)).toBe(24);
    expect(flood({ tenantId: "ten_one" }, 100)).toBe(50);
    // What is left of the whole, however large a share is.
    expect(flood({ tenantId: "ten_two" }, 100)).toBe(25);
    expect(flood({ tenantId: "ten_three" }, 100)).toBe(1);
    for (let index = 0; index < 24; index += 1) {
      pools[index % pools.length]?.release("preflight");
    }
    expect(flood({ tenantId: "ten_three" }, 100)).toBe(11);
  },
);
