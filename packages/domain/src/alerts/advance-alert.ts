import type { AlertCondition, AlertPhase, AlertRule } from "./alert-rule.ts";

/** The measurement of one window. */
export type AlertReading = {
  /** End of the window, epoch milliseconds. */
  atMs: number;
  /** Null where there is nothing to measure, such as the latency of no call. */
  value: number | null;
  /** The value of the window of equal length before. Only changes use it. */
  previous: number | null;
};

export type AlertState = {
  phase: AlertPhase;
  /** The end of the window in which the phase began, epoch milliseconds; null before the first evaluation. */
  sinceMs: number | null;
  /** Evaluations in a row that point to the next phase. */
  streak: number;
  /** End of the last evaluated window, epoch milliseconds. */
  evaluatedToMs: number | null;
  /** When the last firing notice was sent, epoch milliseconds; null while it is not firing. */
  noticeAtMs: number | null;
};

/** The notices that people get: it fires, it still fires, it has recovered. */
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

/** What a reading means: breach, clear, in between (between the thresholds), or nothing. */
export type AlertVerdict = "breach" | "clear" | "between" | "unknown";

/**
 * Readings more than an hour, and more than two intervals, apart do not count as consecutive: evaluations were missed. The bound
 * is much longer than an interval, because evaluations that merely run late under load must still count.
 */
const GAP_MS = 60 * 60_000;
const GAP_INTERVALS = 2;

/**
 * Measures a change in percent: `{ value: 150, previous: 100 }` gives 50.
 *
 * @returns Null where there is nothing to compare with: a value is missing, or the previous one is 0.
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

/** Judges a reading by a condition. A value equal to the threshold does not fire; one equal to `clear` is clear. */
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
 * Advances an alert by one evaluation (ok → pending → firing → ok) and decides which notice to send.
 *
 * A window that is not newer than the last one is ignored, so a repeated evaluation or a clock that jumps back changes nothing.
 * A reading without a verdict keeps the state: missing data is not a recovery. After missed evaluations, at most one notice
 * follows. After a gap of more than an hour, counting starts over; shorter delays count as on time.
 *
 * Example: above 100, clear at 80, for 2 evaluations: 120, 120 fires; 90, 90 keeps firing; 80, 70 recovers.
 *
 * @param input.isPaused - A paused alert is ok and sends nothing.
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

/** The state of a paused alert, and of one whose rule has just changed: ok, nothing counted, no notice sent. */
export function pausedState(state: AlertState): AlertState {
  return { ...INITIAL_ALERT_STATE, evaluatedToMs: state.evaluatedToMs };
}
