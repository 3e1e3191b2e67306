/**
 * Reads the shares that a person types: "50, 80, 100".
 *
 * @returns In rising order; undefined when one is no whole number within the bounds, or there are more than five.
 */
export function parseShares(
  text: string,
  { min, max }: { min: number; max: number },
): number[] | undefined {
  const parts = text.split(/[\s,;%]+/).filter((part) => part !== "");
  const shares = [...new Set(parts.map(Number))].toSorted((a, b) => a - b);
  const isValid = shares.every((share) => Number.isInteger(share) && share >= min && share <= max);
  return isValid && shares.length <= 5 ? shares : undefined;
}
