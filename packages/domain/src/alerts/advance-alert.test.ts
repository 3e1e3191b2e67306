import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AlertReading,
  type AlertState,
  type AlertStep,
  advanceAlert,
  changePercent,
  INITIAL_ALERT_STATE,
  judgeReading,
  pausedState,
} from "./advance-alert.ts";
import type { AlertCondition, AlertRule } from "./alert-rule.ts";
import { evaluationIntervalMs, settledMinuteMs } from "./alert-rule.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const above: AlertRule = {
  condition: { kind: "above", threshold: 100, clear: 80 },
  forEvaluations: 2,
  renotifyMs: HOUR_MS,
  everyMs: MINUTE_MS,
};

function readingAt(minute: number, value: number | null, previous: number | null = null) {
  return { atMs: minute * MINUTE_MS, value, previous };
}

/** Runs an alert through readings and returns every step. */
function run(
  rule: AlertRule,
  readings: readonly (AlertReading & { isPaused?: boolean })[],
  start: AlertState = INITIAL_ALERT_STATE,
): (AlertStep & { reading: AlertReading })[] {
  let state = start;
  return readings.map((reading) => {
    const step = advanceAlert({ rule, state, reading, isPaused: reading.isPaused ?? false });
    state = step.state;
    return { ...step, reading };
  });
}

/** The phases and notices for one value a minute. */
function notify(rule: AlertRule, values: readonly (number | null)[]): string[] {
  const steps = run(
    rule,
    values.map((value, minute) => readingAt(minute, value)),
  );
  return steps.map(({ state, notice }) =>
    notice === null ? state.phase : `${state.phase}!${notice}`,
  );
}

describe("advanceAlert", () => {
  it("fires after the required evaluations in a row, and recovers after as many", () => {
    expect(notify(above, [10, 120, 10, 120, 130, 90, 80, 120, 80, 70, 10])).toEqual([
      "ok",
      "pending",
      "ok",
      "pending",
      "firing!firing",
      "firing",
      "firing",
      "firing",
      "firing",
      "ok!recovered",
      "ok",
    ]);
  });

  it("does not fire at the threshold, and recovers at the clear threshold", () => {
    const rule = { ...above, forEvaluations: 1 };
    expect(notify(rule, [100, 101, 81, 80])).toEqual([
      "ok",
      "firing!firing",
      "firing",
      "ok!recovered",
    ]);
  });

  it("sends reminders at the renotify interval for as long as it fires", () => {
    const rule = { ...above, forEvaluations: 1, renotifyMs: 3 * MINUTE_MS };
    expect(notify(rule, [120, 120, 120, 120, 90, 120, 120])).toEqual([
      "firing!firing",
      "firing",
      "firing",
      "firing!reminder",
      "firing",
      "firing",
      "firing!reminder",
    ]);
    expect(notify({ ...rule, renotifyMs: null }, [120, 120, 120, 120, 120])).not.toContain(
      "firing!reminder",
    );
  });

  it("treats a missing value neither as a breach nor as a recovery", () => {
    expect(notify(above, [null, 120, null, 120, null, null, 10, null, 10])).toEqual([
      "ok",
      "pending",
      "pending",
      "firing!firing",
      "firing",
      "firing",
      "firing",
      "firing",
      "ok!recovered",
    ]);
  });

  it("starts counting over after missed evaluations", () => {
    const steps = run(above, [readingAt(0, 120), readingAt(61, 120), readingAt(62, 120)]);
    expect(steps.map((step) => step.state.phase)).toEqual(["pending", "pending", "firing"]);
    expect(steps[2]?.state.sinceMs).toBe(62 * MINUTE_MS);
    const daily = { ...above, everyMs: 24 * HOUR_MS };
    const late = run(daily, [readingAt(0, 120), readingAt(2_880, 120)]);
    expect(late[1]?.notice).toBe("firing");
  });

  it("fires and recovers even if evaluations run some minutes late for hours", () => {
    const looks = Array.from({ length: 60 }, (_, index) => readingAt(index * 3, 120));
    const clears = Array.from({ length: 60 }, (_, index) => readingAt(180 + index * 4, 10));
    const notified = run(above, [...looks, ...clears]).filter((step) => step.notice !== null);
    expect(notified.map(({ notice, reading }) => [notice, reading.atMs / MINUTE_MS])).toEqual([
      ["firing", 3],
      ["reminder", 63],
      ["reminder", 123],
      ["recovered", 184],
    ]);
  });

  it("sends one notice after hours of missed evaluations", () => {
    const before = run({ ...above, forEvaluations: 1 }, [readingAt(0, 10)]);
    const after = run(
      { ...above, forEvaluations: 1 },
      [readingAt(600, 120), readingAt(601, 120), readingAt(602, 120)],
      before[0]?.state,
    );
    expect(after.map((step) => step.notice)).toEqual(["firing", null, null]);
  });

  it("ignores a window that it has seen, or that is older", () => {
    const [, fired] = run(above, [readingAt(1, 120), readingAt(2, 120)]);
    for (const minute of [0, 1, 2]) {
      const again = advanceAlert({
        rule: above,
        state: fired?.state ?? INITIAL_ALERT_STATE,
        reading: readingAt(minute, 10),
        isPaused: false,
      });
      expect(again).toEqual({ state: fired?.state, notice: null });
    }
  });

  it("starts as ok after a pause", () => {
    const fired = run(above, [readingAt(1, 120), readingAt(2, 120)])[1]?.state;
    expect(fired?.phase).toBe("firing");
    const paused = pausedState(fired ?? INITIAL_ALERT_STATE);
    expect(paused).toMatchObject({ phase: "ok", streak: 0, noticeAtMs: null });
    const steps = run(above, [readingAt(3, 120), readingAt(4, 120)], paused);
    expect(steps.map((step) => step.notice)).toEqual([null, "firing"]);
  });
});

describe("judgeReading", () => {
  it.each<[AlertCondition, number | null, number | null, string]>([
    [{ kind: "below", threshold: 10, clear: 20 }, 9, null, "breach"],
    [{ kind: "below", threshold: 10, clear: 20 }, 10, null, "between"],
    [{ kind: "below", threshold: 10, clear: 20 }, 20, null, "clear"],
    [{ kind: "below", threshold: 10, clear: 20 }, 0, null, "breach"],
    [{ kind: "below", threshold: 10, clear: 20 }, null, null, "unknown"],
    [{ kind: "change", direction: "up", threshold: 50, clear: 20 }, 151, 100, "breach"],
    [{ kind: "change", direction: "up", threshold: 50, clear: 20 }, 10, 100, "clear"],
    [{ kind: "change", direction: "down", threshold: 50, clear: 20 }, 49, 100, "breach"],
    [{ kind: "change", direction: "down", threshold: 50, clear: 20 }, 70, 100, "between"],
    [{ kind: "change", direction: "either", threshold: 50, clear: 20 }, 40, 100, "breach"],
    [{ kind: "change", direction: "either", threshold: 50, clear: 20 }, 10, 0, "unknown"],
    [{ kind: "change", direction: "either", threshold: 50, clear: 20 }, 0, 0, "clear"],
    [{ kind: "no_data" }, 0, null, "breach"],
    [{ kind: "no_data" }, null, null, "breach"],
    [{ kind: "no_data" }, 1, null, "clear"],
  ])("%j with %s after %s says %s", (condition, value, previous, verdict) => {
    expect(judgeReading(condition, { value, previous })).toBe(verdict);
  });

  it("measures change relative to the value before, in percent", () => {
    expect(changePercent({ value: 150, previous: 100 })).toBe(50);
    expect(changePercent({ value: 25, previous: 100 })).toBe(-75);
    expect(changePercent({ value: 1, previous: 0 })).toBeNull();
    expect(changePercent({ value: null, previous: 5 })).toBeNull();
  });
});

const value = fc.option(fc.integer({ min: 0, max: 200 }), { freq: 8 });
const steps = fc.array(
  fc.record({
    // Minutes between readings: mostly consecutive, sometimes repeated, back in time, or after hours.
    gap: fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, fc.integer({ min: -5, max: 400 })),
    value,
    previous: value,
    isPaused: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
  }),
  { maxLength: 80 },
);
const condition: fc.Arbitrary<AlertCondition> = fc.oneof(
  fc.record({
    kind: fc.constant("above" as const),
    threshold: fc.constant(100),
    clear: fc.integer({ min: 0, max: 100 }),
  }),
  fc.record({
    kind: fc.constant("below" as const),
    threshold: fc.constant(100),
    clear: fc.integer({ min: 100, max: 200 }),
  }),
  fc.record({
    kind: fc.constant("change" as const),
    direction: fc.constantFrom("up" as const, "down" as const, "either" as const),
    threshold: fc.constant(50),
    clear: fc.integer({ min: 0, max: 50 }),
  }),
  fc.constant({ kind: "no_data" as const }),
);
const rule: fc.Arbitrary<AlertRule> = fc.record({
  condition,
  forEvaluations: fc.integer({ min: 1, max: 4 }),
  renotifyMs: fc.option(fc.integer({ min: 1, max: 60 }).map((minutes) => minutes * MINUTE_MS)),
  everyMs: fc.constant(MINUTE_MS),
});

type Step = { gap: number; value: number | null; previous: number | null; isPaused: boolean };
function toReadings(list: readonly Step[]) {
  let minute = 1_000;
  return list.map(({ gap, ...rest }) => {
    minute += gap;
    return { ...rest, atMs: minute * MINUTE_MS };
  });
}

describe("advanceAlert, for any sequence of readings", () => {
  it("never fires and sends nothing while it is paused", () => {
    fc.assert(
      fc.property(rule, steps, (anyRule, list) => {
        const readings = toReadings(list);
        for (const [index, step] of run(anyRule, readings).entries()) {
          if (readings[index]?.isPaused) {
            expect(step).toMatchObject({ notice: null, state: { phase: "ok" } });
          }
        }
      }),
    );
  });

  it("sends one firing notice, reminders only at the renotify interval, and one recovery notice", () => {
    fc.assert(
      fc.property(rule, steps, (anyRule, list) => {
        let noticeAtMs: number | null = null;
        for (const { state, notice, reading } of run(anyRule, toReadings(list))) {
          if (notice === "firing") {
            expect(noticeAtMs).toBeNull();
            noticeAtMs = reading.atMs;
          } else if (notice === "reminder") {
            expect(reading.atMs - (noticeAtMs ?? Number.NaN)).toBeGreaterThanOrEqual(
              anyRule.renotifyMs ?? Number.POSITIVE_INFINITY,
            );
            noticeAtMs = reading.atMs;
          } else if (notice === "recovered") {
            expect(noticeAtMs).not.toBeNull();
          }
          expect(state.noticeAtMs !== null).toBe(state.phase === "firing");
          if (state.phase !== "firing") {
            noticeAtMs = null;
          }
        }
      }),
    );
  });

  it("fires only after the required breaches in a row, and recovers only after as many clear readings", () => {
    fc.assert(
      fc.property(rule, steps, (anyRule, list) => {
        const seen: string[] = [];
        for (const { notice, reading } of run(anyRule, toReadings(list))) {
          const verdict = judgeReading(anyRule.condition, reading);
          if (verdict !== "unknown") {
            seen.push(verdict);
          }
          const row = seen.slice(-anyRule.forEvaluations);
          const isRow = (one: string) =>
            row.length === anyRule.forEvaluations && row.every((each) => each === one);
          if (notice === "firing") {
            expect(verdict).toBe("breach");
          }
          if (notice === "recovered") {
            expect(verdict).toBe("clear");
          }
          if (list.every((step) => step.gap > 0 && !step.isPaused)) {
            expect(notice !== "firing" || isRow("breach")).toBe(true);
            expect(notice !== "recovered" || isRow("clear")).toBe(true);
          }
        }
      }),
    );
  });

  it("fires with the reading that completes the row, even if each is late by less than an hour", () => {
    const lateness = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 4, maxLength: 20 });
    fc.assert(
      fc.property(lateness, fc.integer({ min: 1, max: 4 }), (gaps, forEvaluations) => {
        const list = gaps.map((gap) => ({ gap, value: 120, previous: null, isPaused: false }));
        const notified = run({ ...above, forEvaluations, renotifyMs: null }, toReadings(list));
        expect(notified.map((step) => step.notice)).toEqual(
          gaps.map((_, index) => (index === forEvaluations - 1 ? "firing" : null)),
        );
      }),
    );
  });

  it("never changes within the band between the thresholds", () => {
    const band = fc.array(fc.integer({ min: 81, max: 100 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(band, fc.boolean(), fc.integer({ min: 1, max: 3 }), (values, isFiring, count) => {
        const before = isFiring ? [120, 120, 120] : [10];
        const steady = { ...above, forEvaluations: count, renotifyMs: null };
        const all = notify(steady, [...before, ...values]).slice(before.length);
        expect(new Set(all)).toEqual(new Set([isFiring ? "firing" : "ok"]));
      }),
    );
  });

  it("is idempotent: repeating an evaluation changes nothing", () => {
    fc.assert(
      fc.property(rule, steps, (anyRule, list) => {
        for (const { state, reading } of run(anyRule, toReadings(list))) {
          const again = advanceAlert({ rule: anyRule, state, reading, isPaused: false });
          if (state.evaluatedToMs !== null && state.evaluatedToMs >= reading.atMs) {
            expect(again).toEqual({ state, notice: null });
          }
        }
      }),
    );
  });
});

describe("evaluation times", () => {
  it.each([
    [1, 1],
    [60, 1],
    [360, 6],
    [1_440, 24],
  ])("a window of %i minutes every %i minutes", (window, every) => {
    expect(evaluationIntervalMs(window)).toBe(every * MINUTE_MS);
  });

  it("evaluates a minute once it has settled", () => {
    const noon = Date.parse("2026-11-20T12:00:00Z");
    expect(settledMinuteMs(noon + 14_999)).toBe(noon - MINUTE_MS);
    expect(settledMinuteMs(noon + 15_000)).toBe(noon);
  });
});
