/** A key, a route or another part of a whole, before and after a change. Counts are whole numbers. */
export type PartOfSum = { name: string; before: number; after: number };
export type SumContribution = PartOfSum & {
  change: number;
  /** Of the change of the whole: the shares of all parts are 1 together. Negative for a part that moved against it. */
  share: number;
};
/** `parts` are in the order of their weight in the change, those that moved against it last. */
export type SumExplanation = {
  before: number;
  after: number;
  change: number;
  parts: SumContribution[];
};

/** Splits the change of a sum into those of its parts, which add up to it exactly. Without a change all shares are 0. */
export function explainSum(parts: readonly PartOfSum[]): SumExplanation {
  const before = parts.reduce((sum, part) => sum + part.before, 0);
  const after = parts.reduce((sum, part) => sum + part.after, 0);
  const change = after - before;
  return {
    before,
    after,
    change,
    parts: parts
      .map((part) => {
        const own = part.after - part.before;
        return { ...part, change: own, share: change === 0 ? 0 : own / change };
      })
      .sort((one, other) => other.share - one.share || (one.name < other.name ? -1 : 1)),
  };
}
