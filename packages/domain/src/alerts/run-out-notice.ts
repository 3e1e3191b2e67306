/** How many days before something is forecast to run out members get a notice, unless they have chosen otherwise. */
export const RUN_OUT_DAYS_DEFAULT = 7;
/** Forecasts of more days say little about a date. */
export const RUN_OUT_DAYS_MAX = 60;
/** After a notice, another follows once the forecast has been this many times as far away. */
const CLEAR_FACTOR = 2;

const DAY_MS = 24 * 60 * 60_000;

/** The last notice of something: the period in which it was, or that it has not begun anew since. */
export type ToldRunOut = {
  /** When the period ends; null for what has none, such as credit. */
  readonly resetsAtMs: number | null;
};

/**
 * Decides whether to notify of what is forecast to run out: once in a period, and where there is no period once until it was far away
 * again, or could not run out. A date in a period that has not begun has its notice when it has.
 *
 * @param input.atMs - When it runs out; null for not as far as is looked.
 * @param input.days - Null: no notice is sent.
 * @returns The notice that is the last one afterwards; null for nothing.
 */
export function decideRunOut({
  atMs,
  resetsAtMs,
  nowMs,
  days,
  told,
}: {
  atMs: number | null;
  resetsAtMs: number | null;
  nowMs: number;
  days: number | null;
  told: ToldRunOut | null;
}): { tell: boolean; told: ToldRunOut | null } {
  const isOfThisPeriod = atMs !== null && (resetsAtMs === null || atMs <= resetsAtMs);
  const daysLeft = isOfThisPeriod ? (atMs - nowMs) / DAY_MS : Number.POSITIVE_INFINITY;
  const isSamePeriod = told !== null && told.resetsAtMs === resetsAtMs;
  if (days === null || daysLeft > days) {
    const isKept =
      isSamePeriod && (resetsAtMs !== null || (days !== null && daysLeft <= CLEAR_FACTOR * days));
    return { tell: false, told: isKept ? told : null };
  }
  return isSamePeriod ? { tell: false, told } : { tell: true, told: { resetsAtMs } };
}
