import type { AlertCondition, AlertPhase, AlertRule } from "./alert-rule.ts";

/** What was measured in a window. */
export type AlertReading = {
  /** End of the window, epoch milliseconds. */
  atMs: number;
  /** Null where there is nothing to measure, such as the latency of no call. */
  value: number | null;
  /** Of the window of equal length before; only a change looks at it. */
  previous: number | null;
};

export type AlertState = {
  phase: AlertPhase;
  /** When the phase began, by the end of a window, epoch milliseconds; null before the first evaluation. */
  sinceMs: number | null;
  /** Evaluations in a row that speak for the next phase. */
  streak: number;
  /** End of the last window that was looked at, epoch milliseconds. */
  evaluatedToMs: number | null;
  /** When it was last told that it fires, epoch milliseconds; null while it does not. */
  noticeAtMs: number | null;
};

/** What people are told: it fires, it still does, it does no longer. */
export const ALERT_NOTICES = ["firing", "reminder", "recovered"] as const;
export type AlertNotice = (typeof ALERT_NOTICES)[number];

export type AlertStep = { state: AlertState; notice: AlertNotice | null };

export const INITIAL_ALERT_STATE: AlertState = {
  phase: "ok",
  sinceMs: null,
  streak: 0,
  evaluatedToMs: null,
  noticeAtMs: null,
};

/** What a reading says: it is time to fire, all is well, neither (between the thresholds), or nothing at all. */
export type AlertVerdict = "breach" | "clear" | "between" | "unknown";

/**
 * Readings further apart than an hour, and than two intervals, are no row: evaluations were missed. It is much longer than the
 * time between looks, because looks that only come late, when there is much to look at, must go on counting.
 */
const GAP_MS = 60 * 60_000;
const GAP_INTERVALS = 2;

/**
 * Measures a change in percent: `{ value: 150, previous: 100 }` gives 50.
 *
 * @returns Null where there is nothing to compare with: a value is missing, or there was nothing before.
 */
export function changePercent(reading: Pick<AlertReading, "value" | "previous">): number | null {
  const { value, previous } = reading;
  if (value === null || previous === null) {
    return null;
  }
  if (previous === 0) {
    return value === 0 ? 0 : null;
  }
  return ((value - previous) / Math.abs(previous)) * 100;
}

function judgeAbove(value: number | null, threshold: number, clear: number): AlertVerdict {
  if (value === null) {
    return "unknown";
  }
  if (value > threshold) {
    return "breach";
  }
  return value <= clear ? "clear" : "between";
}

function negate(value: number | null): number | null {
  return value === null ? null : -value;
}

/** What a reading says under a condition. A value that equals the threshold does not fire; one that equals `clear` is well. */
export function judgeReading(
  condition: AlertCondition,
  reading: Pick<AlertReading, "value" | "previous">,
): AlertVerdict {
  switch (condition.kind) {
    case "above":
      return judgeAbove(reading.value, condition.threshold, condition.clear);
    case "below":
      return judgeAbove(negate(reading.value), -condition.threshold, -condition.clear);
    case "change": {
      const percent = changePercent(reading);
      const { direction, threshold, clear } = condition;
      if (percent === null) {
        return "unknown";
      }
      const moved = { up: percent, down: -percent, either: Math.abs(percent) }[direction];
      return judgeAbove(moved, threshold, clear);
    }
    case "no_data":
      return reading.value === null || reading.value === 0 ? "breach" : "clear";
  }
}

function advanceQuiet(
  rule: AlertRule,
  state: AlertState,
  reading: { atMs: number; streak: number; verdict: AlertVerdict },
): AlertStep {
  const { atMs, verdict } = reading;
  if (verdict !== "breach") {
    const sinceMs = state.phase === "ok" ? (state.sinceMs ?? atMs) : atMs;
    return { state: { ...state, phase: "ok", sinceMs, streak: 0 }, notice: null };
  }
  const streak = reading.streak + 1;
  if (streak >= rule.forEvaluations) {
    return {
      state: { ...state, phase: "firing", sinceMs: atMs, streak: 0, noticeAtMs: atMs },
      notice: "firing",
    };
  }
  const sinceMs = state.phase === "pending" && reading.streak > 0 ? state.sinceMs : atMs;
  return { state: { ...state, phase: "pending", sinceMs, streak }, notice: null };
}

function advanceFiring(
  rule: AlertRule,
  state: AlertState,
  reading: { atMs: number; streak: number; verdict: AlertVerdict },
): AlertStep {
  const { atMs, verdict } = reading;
  if (verdict === "clear") {
    const streak = reading.streak + 1;
    return streak >= rule.forEvaluations
      ? {
          state: { ...state, phase: "ok", sinceMs: atMs, streak: 0, noticeAtMs: null },
          notice: "recovered",
        }
      : { state: { ...state, streak }, notice: null };
  }
  const isDue = rule.renotifyMs !== null && atMs - (state.noticeAtMs ?? atMs) >= rule.renotifyMs;
  return {
    state: { ...state, streak: 0, noticeAtMs: isDue ? atMs : (state.noticeAtMs ?? atMs) },
    notice: isDue ? "reminder" : null,
  };
}

/**
 * Takes an alert one evaluation further: ok → pending → firing → ok, and says what is to be told.
 *
 * A window that is not newer than the last one says nothing, so that an evaluation that is repeated, or a clock that jumps
 * back, changes nothing. A reading without a verdict keeps everything as it is: that data is missing is no recovery. However
 * much was missed, at most one notice follows; after a gap of more than an hour rows of evaluations begin anew, while looks that
 * come late by less are as good as those in time.
 *
 * Example: above 100, clear at 80, for 2 evaluations: 120, 120 fires; 90, 90 goes on firing; 80, 70 recovers.
 *
 * @param input.isPaused - While it is paused an alert is ok and says nothing.
 */
export function advanceAlert(input: {
  rule: AlertRule;
  state: AlertState;
  reading: AlertReading;
  isPaused: boolean;
}): AlertStep {
  const { rule, reading, isPaused } = input;
  const { atMs } = reading;
  if (isPaused) {
    return { state: pausedState(input.state), notice: null };
  }
  const lastMs = input.state.evaluatedToMs;
  if (lastMs !== null && atMs <= lastMs) {
    return { state: input.state, notice: null };
  }
  const state = { ...input.state, evaluatedToMs: atMs };
  const isRow = lastMs !== null && atMs - lastMs <= Math.max(GAP_MS, GAP_INTERVALS * rule.everyMs);
  const verdict = judgeReading(rule.condition, reading);
  const streak = isRow ? state.streak : 0;
  if (verdict === "unknown") {
    return { state: { ...state, streak }, notice: null };
  }
  return state.phase === "firing"
    ? advanceFiring(rule, state, { atMs, streak, verdict })
    : advanceQuiet(rule, state, { atMs, streak, verdict });
}

/** The state of an alert that is paused, and of one whose rule has changed: ok, with nothing counted and nothing told. */
export function pausedState(state: AlertState): AlertState {
  return { ...INITIAL_ALERT_STATE, evaluatedToMs: state.evaluatedToMs };
}
