/** Calls of whole weeks, the newest last: the week in which they are compared has no season left. */
export type WeeklyCalls = readonly number[];

/** Weeks before the last one that say what is usual. */
export const USUAL_WEEKS = 4;
/** Of fewer calls, a share says little. */
const CALLS_MIN = 500;
/** Less than half of the least of the weeks before is beyond what they varied. */
const FALLEN_SHARE = 0.5;
/** With an invoice that is not paid, less is enough. */
const FALLEN_WITH_TROUBLE = 0.75;

export type Trouble = "payment_failed" | "invoice_overdue";

/** A tenant that is likely to leave: what it used, by which share less, and what else points there. */
export type Leaving = {
  calls: number;
  /** The least of the weeks before. */
  least: number;
  /** From 0.5 to 1. */
  confidence: number;
  troubles: Trouble[];
};

/**
 * Judges whether a tenant is likely to leave: the last week has less than half of the calls of each of the four weeks before, or less
 * than three quarters while a payment has failed or an invoice is overdue.
 *
 * @returns `undefined` for one that is not, that has no four weeks before, or that never used much.
 */
export function judgeLeaving(
  weeks: WeeklyCalls,
  troubles: readonly Trouble[],
): Leaving | undefined {
  const calls = weeks.at(-1) ?? 0;
  const usual = weeks.slice(-1 - USUAL_WEEKS, -1);
  const least = Math.min(...usual);
  if (usual.length < USUAL_WEEKS || least < CALLS_MIN) {
    return;
  }
  const left = calls / least;
  if (left >= (troubles.length > 0 ? FALLEN_WITH_TROUBLE : FALLEN_SHARE)) {
    return;
  }
  // Half as sure at the edge, sure when nothing is left.
  return { calls, least, confidence: 1 - left / 2, troubles: [...troubles] };
}
