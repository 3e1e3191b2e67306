import type { Plan } from "#platform/shared-queries.ts";

/** Steps of a slider; enough that one of them is a few percent. */
export const STEPS = 200;

/** The least that a slider reaches to, and how far beyond what plans speak of. */
const MAX_LEAST = 10_000;
const BEYOND = 10;
/** The most: beyond it a number is no longer exact. */
const MAX_MOST = 1_000_000_000_000;

/**
 * Turns a position of a slider into a quantity, on a logarithmic scale with nothing at its start.
 *
 * @param position - 0 to `STEPS`.
 * @param max - The quantity at its end.
 * @returns A whole number of two digits that count, such as 12,000, except for the end itself.
 */
export function toQuantity(position: number, max: number): number {
  if (position <= 0) {
    return 0;
  }
  return position >= STEPS ? max : roundToTwoDigits(max ** (position / STEPS));
}

/** The position nearest to a quantity. */
export function toPosition(quantity: number, max: number): number {
  if (quantity <= 0) {
    return 0;
  }
  // One unit is a step from nothing, so that the two differ.
  return Math.max(1, Math.min(STEPS, Math.round((Math.log(quantity) / Math.log(max)) * STEPS)));
}

function roundToTwoDigits(value: number): number {
  const whole = Math.max(1, Math.round(value));
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(whole)) - 1);
  return Math.round(whole / unit) * unit;
}

/** Everything that plans say about quantities of a meter: bounds of tiers, included units, quotas. */
function listMarks(plans: readonly Plan[], meterId: string): readonly number[] {
  const cards = plans
    .flatMap(({ phases }) => phases.at(-1)?.rateCards ?? [])
    .filter(({ meter }) => meter === meterId);
  return cards
    .flatMap(({ price, entitlement }) => [
      price?.included,
      ...(price?.tiers ?? []).map(({ upTo }) => upTo),
      entitlement?.limit,
    ])
    .map(Number)
    .filter((mark) => Number.isFinite(mark) && mark > 0)
    .toSorted((a, b) => a - b);
}

export type QuantityRange = {
  /** Where the slider ends, a power of ten. */
  max: number;
  /** Where it begins. */
  start: number;
};

/**
 * Chooses the range of a meter's slider: it reaches ten times beyond what plans speak of and what is used.
 *
 * @param used - Of this period; 0 when nothing was or it is not known, then the slider begins at the lowest bound of a plan.
 */
export function toRange(plans: readonly Plan[], meterId: string, used: number): QuantityRange {
  const marks = listMarks(plans, meterId);
  const reach = Math.max(MAX_LEAST, ...marks.map((mark) => mark * BEYOND), used * BEYOND);
  const max = Math.min(MAX_MOST, 10 ** Math.ceil(Math.log10(reach)));
  return { max, start: Math.min(max, used > 0 ? Math.ceil(used) : (marks[0] ?? MAX_LEAST)) };
}
