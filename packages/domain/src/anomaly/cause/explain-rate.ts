/** A part of a rate, such as the errors of a route among its calls. A part without calls has no rate of its own. */
export type Rate = { hits: number; of: number };
export type PartOfRate = { name: string; before: Rate; after: Rate };
export type RateContribution = PartOfRate & {
  /** By the part's own rate. */
  within: number;
  /** By how much of the whole it is: a part with many errors that grows raises the rate, although no rate of its own changed. */
  mix: number;
  change: number;
  /** Of the change of the whole: the shares of all parts are 1 together. */
  share: number;
};
/** `within` and `mix` are the sums of the parts', and add up to `change`. */
export type RateExplanation = {
  before: number;
  after: number;
  change: number;
  within: number;
  mix: number;
  parts: RateContribution[];
};

function rateOf({ hits, of }: Rate): number | undefined {
  return of === 0 ? undefined : hits / of;
}

function sumOf(parts: readonly PartOfRate[], side: "before" | "after"): Rate {
  return parts.reduce(
    (sum, part) => ({ hits: sum.hits + part[side].hits, of: sum.of + part[side].of }),
    { hits: 0, of: 0 },
  );
}

/**
 * Splits the change of a rate into those of its parts: what their own rates did, at the mean of their weights, and what their
 * weights did, at the distance of their rates to the mean of the whole. Both add up to the change but for rounding. Where all
 * rates of the parts fall and that of the whole rises (Simpson's paradox), `within` is negative and `mix` explains the rise.
 *
 * @returns Zeros when there were no calls on one of the sides.
 */
export function explainRate(parts: readonly PartOfRate[]): RateExplanation {
  const wholeBefore = sumOf(parts, "before");
  const wholeAfter = sumOf(parts, "after");
  const before = rateOf(wholeBefore) ?? 0;
  const after = rateOf(wholeAfter) ?? 0;
  const isComparable = wholeBefore.of > 0 && wholeAfter.of > 0;
  const change = isComparable ? after - before : 0;
  const middle = (before + after) / 2;
  const split = parts.map((part) => {
    const own = { before: rateOf(part.before), after: rateOf(part.after) };
    // A part that is new, or gone, has no change of its own rate: all it does is by its weight.
    const rateBefore = own.before ?? own.after ?? middle;
    const rateAfter = own.after ?? own.before ?? middle;
    const weightBefore = isComparable ? part.before.of / wholeBefore.of : 0;
    const weightAfter = isComparable ? part.after.of / wholeAfter.of : 0;
    const within = ((weightBefore + weightAfter) / 2) * (rateAfter - rateBefore);
    const mix = ((rateBefore + rateAfter) / 2 - middle) * (weightAfter - weightBefore);
    return { ...part, within, mix, change: within + mix };
  });
  return {
    before,
    after,
    change,
    within: split.reduce((sum, { within }) => sum + within, 0),
    mix: split.reduce((sum, { mix }) => sum + mix, 0),
    parts: split
      .map((part) => ({ ...part, share: change === 0 ? 0 : part.change / change }))
      .sort((one, other) => other.share - one.share || (one.name < other.name ? -1 : 1)),
  };
}
