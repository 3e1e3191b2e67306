import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ATTEMPT_DELAYS_MS, nextAttemptDelayMs, parseRetryAfter } from "./retry-schedule.ts";

const NOW = new Date("2026-01-15T10:00:00.000Z");
const DAY_MS = 24 * 3_600_000;

describe("nextAttemptDelayMs", () => {
  it("makes ten attempts over 75 hours, 35 minutes and 5 seconds", () => {
    let totalMs = 0;
    let attempts = 1;
    for (;;) {
      const delayMs = nextAttemptDelayMs({ failedAttempts: attempts, chance: 0 });
      if (delayMs === undefined) {
        break;
      }
      totalMs += delayMs;
      attempts += 1;
    }
    expect(attempts).toBe(10);
    expect(totalMs).toBe((75 * 3_600 + 35 * 60 + 5) * 1_000);
  });

  it("never retries before the schedule, and never more than a tenth after it", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (failedAttempts, chance) => {
          const delayMs = nextAttemptDelayMs({ failedAttempts, chance }) ?? -1;
          const plainMs = ATTEMPT_DELAYS_MS[failedAttempts] ?? Number.NaN;
          expect(delayMs).toBeGreaterThanOrEqual(plainMs);
          expect(delayMs).toBeLessThanOrEqual(Math.ceil(plainMs * 1.1));
        },
      ),
    );
  });

  it("waits as long as the receiver asks, at most a day, but never less than the schedule", () => {
    const wait = (retryAfterMs: number) =>
      nextAttemptDelayMs({ failedAttempts: 2, retryAfterMs, chance: 0 });
    expect(wait(3_600_000)).toBe(3_600_000);
    expect(wait(1_000)).toBe(300_000);
    expect(wait(10 * DAY_MS)).toBe(DAY_MS);
    expect(nextAttemptDelayMs({ failedAttempts: 10, retryAfterMs: 1, chance: 0 })).toBeUndefined();
  });
});

describe("parseRetryAfter", () => {
  it.each([
    ["120", 120_000],
    [" 0 ", 0],
    ["Thu, 15 Jan 2026 10:01:00 GMT", 60_000],
    ["Thu, 15 Jan 2026 09:00:00 GMT", 0],
    ["-1", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["2026-01-15", undefined],
    ["9999999999", undefined],
    ["", undefined],
  ])("%s", (text, expected) => {
    expect(parseRetryAfter(text, NOW)).toBe(expected);
  });
});
