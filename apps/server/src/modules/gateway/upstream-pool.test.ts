import { expect, it, onTestFinished } from "vitest";
import { UpstreamPool } from "./upstream-pool.ts";
import { createUpstreamRouter } from "./upstream-router.ts";

function startPool(maxConcurrent: number) {
  const [upstream] = createUpstreamRouter({
    upstreams: [
      {
        name: "main",
        url: "http://127.0.0.1:9",
        timeouts: { connectMs: 1, headersMs: 1, idleMs: 1 },
        maxRequestBytes: 1,
        preserveHost: false,
        maxConcurrent,
      },
    ],
    hasRouteRules: false,
  }).upstreams;
  const clock = { nowMs: 1000, now: () => new Date(0), monotonicMs: () => clock.nowMs };
  const pool = new UpstreamPool({ upstream: upstream!, clock });
  onTestFinished(() => pool.close(0));
  return { pool, clock };
}

const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED", syscall: "connect" });
const reset = Object.assign(new Error("reset"), { code: "ECONNRESET", syscall: "read" });

it("stops to try for a second after five failures to connect in a row", () => {
  const { pool, clock } = startPool(1);
  for (let i = 0; i < 4; i++) {
    pool.noteFailure(refused);
  }
  expect(pool.isFailing()).toBe(false);
  pool.noteFailure(refused);
  expect(pool.isFailing()).toBe(true);
  clock.nowMs += 999;
  expect(pool.isFailing()).toBe(true);
  clock.nowMs += 1;
  expect(pool.isFailing()).toBe(false);
  pool.noteFailure(refused);
  expect(pool.isFailing()).toBe(true);
});

it("forgets failures at the first answer", () => {
  const { pool } = startPool(1);
  for (let i = 0; i < 9; i++) {
    pool.noteFailure(refused);
  }
  pool.noteAnswer();
  pool.noteFailure(refused);
  expect(pool.isFailing()).toBe(false);
});

it("does not count broken answers as failures to connect", () => {
  const { pool } = startPool(1);
  for (let i = 0; i < 9; i++) {
    pool.noteFailure(reset);
  }
  expect(pool.isFailing()).toBe(false);
});

it("gives out as many places as the upstream has", () => {
  const { pool } = startPool(2);
  expect([pool.tryAcquire(), pool.tryAcquire(), pool.tryAcquire()]).toEqual([true, true, false]);
  pool.release();
  expect([pool.tryAcquire(), pool.active]).toEqual([true, 2]);
});
