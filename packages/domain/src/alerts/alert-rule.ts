/** When a value is one to be told of. */
export const ALERT_CONDITIONS = ["above", "below", "change", "no_data"] as const;
export type AlertConditionKind = (typeof ALERT_CONDITIONS)[number];

/** Into which direction a value changes, against the window of equal length before. */
export const CHANGE_DIRECTIONS = ["up", "down", "either"] as const;
export type ChangeDirection = (typeof CHANGE_DIRECTIONS)[number];

/** `clear` is the value at which the alert recovers: between it and `threshold` nothing changes. */
export type AlertCondition =
  | { kind: "above"; threshold: number; clear: number }
  | { kind: "below"; threshold: number; clear: number }
  /** Both in percent of the window before, 0 or more. */
  | { kind: "change"; direction: ChangeDirection; threshold: number; clear: number }
  /** Nothing was counted in the window. */
  | { kind: "no_data" };

export type AlertRule = {
  condition: AlertCondition;
  /** So many evaluations in a row decide that it fires, and as many that it has recovered; 1 or more. */
  forEvaluations: number;
  /** After so long a firing alert is told again; null: once. */
  renotifyMs: number | null;
  /** How far evaluations are apart. */
  everyMs: number;
};

export const ALERT_PHASES = ["ok", "pending", "firing"] as const;
export type AlertPhase = (typeof ALERT_PHASES)[number];

/** Lengths of the window that an alert looks at, in minutes. */
export const ALERT_WINDOW_MINUTES = [1, 5, 15, 30, 60, 360, 1_440] as const;
export type AlertWindowMinutes = (typeof ALERT_WINDOW_MINUTES)[number];

const MINUTE_MS = 60_000;
/** A window is looked at so many times while it passes: what a look costs grows with its length, so looks get rarer. */
const EVALUATIONS_PER_WINDOW = 60;

/** How far evaluations of a window are apart, in milliseconds: a minute up to an hour's window, a sixtieth of longer ones. */
export function evaluationIntervalMs(windowMinutes: number): number {
  return Math.max(1, Math.floor(windowMinutes / EVALUATIONS_PER_WINDOW)) * MINUTE_MS;
}

/** How long after its end a window is looked at: by then what happened in it is in the ledger. */
export const SETTLE_MS = 15_000;

/** The end of the newest window that can be looked at: the last whole minute that has settled, in epoch milliseconds. */
export function settledMinuteMs(nowMs: number): number {
  return Math.floor((nowMs - SETTLE_MS) / MINUTE_MS) * MINUTE_MS;
}
