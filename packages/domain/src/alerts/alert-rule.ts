/** When an alert fires. */
export const ALERT_CONDITIONS = ["above", "below", "change", "no_data"] as const;
export type AlertConditionKind = (typeof ALERT_CONDITIONS)[number];

/** The direction of a change, compared with the window of equal length before. */
export const CHANGE_DIRECTIONS = ["up", "down", "either"] as const;
export type ChangeDirection = (typeof CHANGE_DIRECTIONS)[number];

/** `clear` is the value at which the alert recovers. Between it and `threshold` nothing changes. */
export type AlertCondition =
  | { kind: "above"; threshold: number; clear: number }
  | { kind: "below"; threshold: number; clear: number }
  /** Both in percent of the window before, 0 or more. */
  | { kind: "change"; direction: ChangeDirection; threshold: number; clear: number }
  /** Nothing was counted in the window. */
  | { kind: "no_data" };

export type AlertRule = {
  condition: AlertCondition;
  /** How many evaluations in a row it takes to fire, and as many to recover; 1 or more. */
  forEvaluations: number;
  /** How long after a notice a firing alert sends another; null: it sends only one. */
  renotifyMs: number | null;
  /** The interval between evaluations. */
  everyMs: number;
};

export const ALERT_PHASES = ["ok", "pending", "firing"] as const;
export type AlertPhase = (typeof ALERT_PHASES)[number];

/** The window lengths of an alert, in minutes. */
export const ALERT_WINDOW_MINUTES = [1, 5, 15, 30, 60, 360, 1_440] as const;
export type AlertWindowMinutes = (typeof ALERT_WINDOW_MINUTES)[number];

const MINUTE_MS = 60_000;
/** How often a window is evaluated while it passes. Longer windows cost more, so they are evaluated less often. */
const EVALUATIONS_PER_WINDOW = 60;

/** The interval between evaluations in milliseconds: a minute for windows up to an hour, otherwise a sixtieth of the window. */
export function evaluationIntervalMs(windowMinutes: number): number {
  return Math.max(1, Math.floor(windowMinutes / EVALUATIONS_PER_WINDOW)) * MINUTE_MS;
}

/** How long after its end a window is evaluated: by then its usage is in the ledger. */
export const SETTLE_MS = 15_000;

/** The end of the newest window that can be evaluated: the last whole minute that has settled, in epoch milliseconds. */
export function settledMinuteMs(nowMs: number): number {
  return Math.floor((nowMs - SETTLE_MS) / MINUTE_MS) * MINUTE_MS;
}
