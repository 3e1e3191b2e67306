/** Puts values where there are none: that of a season before where there is one, else those around. */
export function fillGaps(values: readonly (number | null)[], season: number): number[] {
  const filled: number[] = [];
  for (const [at, value] of values.entries()) {
    if (value !== null) {
      filled.push(value);
      continue;
    }
    const before = at >= season ? filled[at - season] : filled.at(-1);
    filled.push(before ?? values.slice(at).find((next) => next !== null) ?? 0);
  }
  return filled;
}
