const DAY_MS = 24 * 60 * 60_000;
const DISMISSED_QUIET_MS = 7 * DAY_MS;
const USELESS_QUIET_MS = 30 * DAY_MS;

/** What is stored of an insight and decides whether it is shown again. Times are null for what did not happen. */
export type InsightState = {
  sinceMs: number;
  seenAtMs: number;
  endedAtMs: number | null;
  dismissedAtMs: number | null;
  isUseful: boolean | null;
  ratedAtMs: number | null;
};

function isWithin(atMs: number | null, nowMs: number, lengthMs: number): boolean {
  return atMs !== null && nowMs - atMs < lengthMs;
}

/**
 * Decides on an insight that was found again: the same cause stays one insight. After a dismissal it stays dismissed for a week,
 * after "not useful" for thirty days; later it is shown as new.
 */
export function advanceInsight(
  state: InsightState | undefined,
  found: { sinceMs: number; isOver: boolean },
  nowMs: number,
): InsightState {
  const endedAtMs = found.isOver ? nowMs : null;
  if (state === undefined) {
    return {
      sinceMs: found.sinceMs,
      seenAtMs: nowMs,
      endedAtMs,
      dismissedAtMs: null,
      isUseful: null,
      ratedAtMs: null,
    };
  }
  const isQuiet =
    isWithin(state.dismissedAtMs, nowMs, DISMISSED_QUIET_MS) ||
    (state.isUseful === false && isWithin(state.ratedAtMs, nowMs, USELESS_QUIET_MS));
  const isSame = state.sinceMs === found.sinceMs;
  return {
    ...state,
    sinceMs: found.sinceMs,
    seenAtMs: nowMs,
    endedAtMs: isSame && state.endedAtMs !== null && found.isOver ? state.endedAtMs : endedAtMs,
    dismissedAtMs: isSame || isQuiet ? (state.dismissedAtMs ?? (isQuiet ? nowMs : null)) : null,
  };
}
