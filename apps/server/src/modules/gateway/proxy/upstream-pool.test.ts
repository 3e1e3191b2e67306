import { expect, it, onTestFinished } from "vitest";
import {
  createSharedPermitsMemory,
  openSharedPermits,
  type SharedPermits,
} from "#platform/shared-permits.ts";
import { type PermitUse, UpstreamPool } from "./upstream-pool.ts";
import { createUpstreamRouter } from "./upstream-router.ts";

function startPool(maxConcurrent: number, sharePermits?: (max: number) => SharedPermits) {
  const [upstream] = createUpstreamRouter([
    {
      name: "main",
      url: "http://127.0.0.1:9",
      timeouts: { connectMs: 1, headersMs: 1, idleMs: 1 },
      maxRequestBytes: 1,
      preserveHost: false,
      maxConcurrent,
    },
  ]).upstreams;
  const clock = { nowMs: 1000, now: () => new Date(0), monotonicMs: () => clock.nowMs };
  const pool = new UpstreamPool({ upstream: upstream!, clock, sharePermits });
  onTestFinished(() => pool.close(0));
  return { pool, clock };
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
  const take = () => pool.tryAcquire("call");
  expect([take(), take(), take()]).toEqual([true, true, false]);
  pool.release("call");
  expect([take(), pool.active]).toEqual([true, 2]);
});

it.each([
  { max: 1, preflights: 1 },
  { max: 7, preflights: 1 },
  { max: 8, preflights: 2 },
])("gives preflights a quarter of $max places, and at least one", ({ max, preflights }) => {
  const { pool } = startPool(max);
  const take = (use: PermitUse, times: number) =>
    Array.from({ length: times }, () => pool.tryAcquire(use)).filter(Boolean).length;
  expect(take("preflight", max)).toBe(preflights);
  expect(take("call", max)).toBe(max - preflights);
  pool.release("preflight");
  expect([take("preflight", max), take("call", max)]).toEqual([1, 0]);
});

it("leaves a quarter of all places to calls, however many threads take preflights", () => {
  const threads = 6;
  const memory = createSharedPermitsMemory(1, threads);
  const pools = Array.from({ length: threads }, (_, thread) => {
    const sharePermits = (max: number) =>
      openSharedPermits(memory, { kind: 0, holder: thread + 1, max });
    return startPool(8, sharePermits).pool;
  });
  const take = (use: PermitUse) =>
    [...pools, ...pools].map((pool) => pool.tryAcquire(use)).filter(Boolean).length;
  expect([take("preflight"), take("call"), take("call")]).toEqual([6, 2, 0]);
  pools[0]?.release("preflight");
  expect([take("preflight"), take("call")]).toEqual([0, 1]);
});
