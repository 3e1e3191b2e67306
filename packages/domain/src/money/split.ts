/**
 * Splits a whole amount in proportion to weights by largest remainder; ties go to the earlier share. The shares sum to the
 * amount exactly.
 *
 * Example: 5.00 over 10.00 and 20.00 gives 1.67 and 3.33.
 *
 * @param amount - 0 or more, in minor units.
 * @param weights - 0 or more each. When all are 0, so is the amount.
 */
export function splitByWeight(amount: bigint, weights: readonly bigint[]): bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total === 0n) {
    return weights.map(() => 0n);
  }
  const shares = weights.map((weight, index) => ({
    index,
    whole: (amount * weight) / total,
    remainder: (amount * weight) % total,
  }));
  let left = amount - shares.reduce((sum, { whole }) => sum + whole, 0n);
  const result = shares.map(({ whole }) => whole);
  const byRemainder = shares.toSorted((a, b) =>
    a.remainder === b.remainder ? a.index - b.index : a.remainder < b.remainder ? 1 : -1,
  );
  for (const { index } of byRemainder) {
    if (left === 0n) {
      break;
    }
    result[index] = (result[index] ?? 0n) + 1n;
    left -= 1n;
  }
  return result;
}
