import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MovingDeadline } from "./moving-deadline.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function create(shortestMs: number) {
  const startedAtMs = performance.now();
  const passedAtMs: number[] = [];
  const deadline = new MovingDeadline({
    monotonicMs: () => performance.now(),
    shortestMs,
    onPassed: () => passedAtMs.push(performance.now() - startedAtMs),
  });
  return { deadline, passedAtMs };
}

describe("MovingDeadline", () => {
  it("passes once, when its time is up, with any limit expected to be the shortest", () => {
    for (const shortestMs of [1, 7, 40, 100, 1_000]) {
      const { deadline, passedAtMs } = create(shortestMs);
      deadline.set(100);
      vi.advanceTimersByTime(10_000);
      expect(passedAtMs).toEqual([100]);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it("moves ahead and back with each step, and counts from the last one", () => {
    const { deadline, passedAtMs } = create(60);
    deadline.set(100);
    vi.advanceTimersByTime(90);
    deadline.set(200);
    vi.advanceTimersByTime(190);
    deadline.renew();
    vi.advanceTimersByTime(10);
    deadline.set(20);
    vi.advanceTimersByTime(10_000);
    expect(passedAtMs).toEqual([310]);
  });

  it("has a single timer, also for a limit that is shorter than what was waited for", () => {
    const { deadline, passedAtMs } = create(1_000);
    deadline.set(900);
    deadline.set(1_200);
    deadline.set(50);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(50);
    expect(passedAtMs).toEqual([50]);
  });

  it("waits for nothing while it is suspended, and again once it is set", () => {
    const { deadline, passedAtMs } = create(60);
    deadline.set(100);
    deadline.suspend();
    vi.advanceTimersByTime(1_000);
    expect([passedAtMs, vi.getTimerCount()]).toEqual([[], 0]);
    deadline.set(100);
    vi.advanceTimersByTime(100);
    expect(passedAtMs).toEqual([1_100]);
  });

  it("sets two timers for a limit that is far away, not one after another", () => {
    const { deadline, passedAtMs } = create(10);
    deadline.set(3_600_000);
    let timers = 0;
    while (passedAtMs.length === 0 && vi.getTimerCount() > 0) {
      vi.advanceTimersToNextTimer();
      timers += 1;
    }
    expect(passedAtMs).toEqual([3_600_000]);
    expect(timers).toBe(2);
  });

  it("leaves nothing behind when it ends, and may be set again by what passed", () => {
    const { deadline, passedAtMs } = create(60);
    deadline.set(100);
    deadline.end();
    expect(vi.getTimerCount()).toBe(0);
    const again: number[] = [];
    const renewed = new MovingDeadline({
      monotonicMs: () => performance.now(),
      shortestMs: 30,
      onPassed: () => {
        again.push(performance.now());
        if (again.length < 3) {
          renewed.renew();
        }
      },
    });
    const startedAtMs = performance.now();
    renewed.set(50);
    vi.advanceTimersByTime(1_000);
    expect(again.map((atMs) => atMs - startedAtMs)).toEqual([50, 100, 150]);
    expect(passedAtMs).toEqual([]);
  });

  it("goes on waiting when its timer goes off too early, as those of the system may by a millisecond", () => {
    const nowMs = { value: 0 };
    const passed = vi.fn();
    const deadline = new MovingDeadline({
      monotonicMs: () => nowMs.value,
      shortestMs: 1_000,
      onPassed: passed,
    });
    deadline.set(100);
    nowMs.value = 99.4;
    vi.advanceTimersByTime(100);
    expect(passed).not.toHaveBeenCalled();
    nowMs.value = 100;
    vi.advanceTimersByTime(1);
    expect(passed).toHaveBeenCalledOnce();
  });
});
