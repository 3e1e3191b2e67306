/** Longer words are compared with nothing: the work grows with the product of the lengths. */
const LENGTH_MAX = 64;

/** Counts the edits between two words: insert, delete or replace a character, or swap two neighbours. */
export function countEdits(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      const edits = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      current.push(isSwapped ? Math.min(edits, (beforeLast[column - 2] ?? 0) + 1) : edits);
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}

const normalise = (word: string): string => word.toLowerCase().replace(/[-_ ]/g, "");

/**
 * Finds the known word that was probably meant: at most a third of the typed characters are wrong. Case, hyphens and
 * underscores do not count.
 *
 * Example: `stripprefix` among `stripPrefix` and `url` gives `stripPrefix`.
 *
 * @returns `undefined` when no known word is near.
 */
export function suggest(typed: string, known: readonly string[]): string | undefined {
  const word = normalise(typed);
  if (word === "" || word.length > LENGTH_MAX) {
    return;
  }
  const ranked = known
    .filter((candidate) => candidate !== typed && candidate.length <= LENGTH_MAX)
    .map((candidate) => ({ candidate, edits: countEdits(word, normalise(candidate)) }))
    .sort((one, other) => one.edits - other.edits);
  const [best] = ranked;
  return best !== undefined && best.edits <= Math.max(1, Math.floor(word.length / 3))
    ? best.candidate
    : undefined;
}

/** @returns ` Did you mean stripPrefix?` with the blank in front, or the empty text. */
export function toSuggestion(typed: string, known: readonly string[]): string {
  const meant = suggest(typed, known);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}
