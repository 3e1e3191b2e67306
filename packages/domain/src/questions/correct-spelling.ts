import { countEdits } from "../text/suggest.ts";
import { GRAMMAR_WORDS, isKnownWord } from "./words.ts";

const SHORTEST_MISSPELT = 4;
const LONG_WORD = 8;
const LENGTH_MAX = 32;
const PLAIN_WORD = /^[a-z][a-z'-]*$/;

/**
 * Finds the one word that was probably meant: one edit away, or two for long words, with the same first letter or the first two
 * swapped, which is where people seldom slip.
 */
export function findNearest(typed: string, known: Iterable<string>): string | undefined {
  if (typed.length < SHORTEST_MISSPELT || typed.length > LENGTH_MAX) {
    return;
  }
  const editsMax = typed.length >= LONG_WORD ? 2 : 1;
  let best: string | undefined;
  let fewest = editsMax + 1;
  for (const word of known) {
    const isNear =
      Math.abs(word.length - typed.length) <= editsMax &&
      (word[0] === typed[0] || (word[0] === typed[1] && word[1] === typed[0]));
    if (!isNear) {
      continue;
    }
    const edits = countEdits(typed, word);
    if (edits < fewest) {
      fewest = edits;
      best = word;
    }
  }
  return best;
}

/** Replaces misspelt words of the grammar in a normalised question. Words that `isName` knows stay. */
export function correctSpelling(
  text: string,
  isName: (word: string) => boolean,
  names: readonly string[],
): string {
  return text
    .split(" ")
    .map((word) =>
      !PLAIN_WORD.test(word) || isKnownWord(word) || isName(word)
        ? word
        : (findNearest(word, names) ?? findNearest(word, GRAMMAR_WORDS) ?? word),
    )
    .join(" ");
}
