import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { believeClock, keptFromMs, startOfMonthMs } from "./usage-history.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 1);

describe("startOfMonthMs", () => {
  it.each([
    ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"],
    ["2025-12-31T23:59:59.999Z", "2025-12-01T00:00:00.000Z"],
    ["2024-02-29T12:00:00.000Z", "2024-02-01T00:00:00.000Z"],
    ["2026-03-29T01:30:00.000Z", "2026-03-01T00:00:00.000Z"],
  ])("of %s is %s, regardless of daylight saving", (at, start) => {
    expect(new Date(startOfMonthMs(Date.parse(at))).toISOString()).toBe(start);
  });
});

describe("retention", () => {
  /** Runs once an hour of true time, by a clock that is off by what a run says, with what has been given up by each run. */
  function simulate(keptDays: number, errorsMs: readonly number[]) {
    let believedMs = START_MS;
    let givenUpMs = Number.NEGATIVE_INFINITY;
    return errorsMs.map((errorMs, run) => {
      const trueMs = START_MS + run * HOUR_MS;
      believedMs = believeClock(believedMs, trueMs + errorMs);
      // What was dropped stays dropped.
      givenUpMs = Math.max(givenUpMs, keptFromMs(believedMs, keptDays) ?? givenUpMs);
      return { trueMs, givenUpMs };
    });
  }

  it("never drops what must be kept while a clock is wrong for up to a day, ahead or behind", () => {
    const error = fc.constantFrom(0, 0, 90, 4_000, -90, -4_000);
    fc.assert(
      fc.property(
        fc.integer({ min: 40, max: 4_000 }),
        fc.array(fc.record({ days: error, runs: fc.integer({ min: 1, max: 24 }) }), {
          maxLength: 20,
        }),
        (keptDays, spells) => {
          const errorsMs = spells.flatMap(({ days, runs }) => [
            ...Array.from({ length: runs }, () => days * DAY_MS),
            // Then the clock is right again.
            0,
          ]);
          for (const { trueMs, givenUpMs } of simulate(keptDays, errorsMs)) {
            expect(givenUpMs).toBeLessThanOrEqual(trueMs - keptDays * DAY_MS);
          }
        },
      ),
    );
  });

  it("drops everything older within two months once the clock has been right for long enough", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 40, max: 400 }),
        fc.integer({ min: -30, max: 30 }),
        (keptDays, errorDays) => {
          const wrong = Array.from({ length: 24 }, () => errorDays * DAY_MS);
          const right = Array.from({ length: 31 * 24 }, () => 0);
          const last = simulate(keptDays, [...wrong, ...right]).at(-1);
          const oldestMs = (last?.trueMs ?? 0) - (keptDays + 7 + 31) * DAY_MS;
          expect(last?.givenUpMs).toBeGreaterThan(oldestMs);
        },
      ),
    );
  });

  it("keeps a class without a limit for ever", () => {
    expect(keptFromMs(START_MS, undefined)).toBeUndefined();
  });

  it("counts whole months in UTC, over the end of a year", () => {
    const at = Date.parse("2026-01-20T00:00:00Z");
    expect(new Date(keptFromMs(at, 40) ?? 0).toISOString()).toBe("2025-12-01T00:00:00.000Z");
    expect(new Date(keptFromMs(at, 45) ?? 0).toISOString()).toBe("2025-11-01T00:00:00.000Z");
  });
});
