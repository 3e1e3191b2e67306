const ONES =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const VALUES = new Map<string, number>([
  ...ONES.map((word, index): [string, number] => [word, index + 1]),
  ...TENS.map((word, index): [string, number] => [word, 10 * (index + 2)]),
  ["dozen", 12],
]);
const SCALES = new Map<string, bigint>([
  ["hundred", 100n],
  ["thousand", 1_000n],
  ["million", 1_000_000n],
  ["billion", 1_000_000_000n],
]);

/** Up to ten is how people count what they see, such as "the two routes". */
export const SPELLED_FREELY_MAX = 10n;

/** True for a word that is part of a number. */
export function isNumberWord(word: string): boolean {
  return VALUES.has(word) || SCALES.has(word);
}

/** The value of words such as `forty`, `two`, `thousand`; a scale alone counts once. */
export function readSpelled(words: readonly string[]): bigint {
  let sum = 0n;
  let part = 0n;
  for (const word of words) {
    const scale = SCALES.get(word);
    if (scale === undefined) {
      part += BigInt(VALUES.get(word) ?? 0);
    } else if (scale === 100n) {
      part = (part === 0n ? 1n : part) * scale;
    } else {
      sum += (part === 0n ? 1n : part) * scale;
      part = 0n;
    }
  }
  return sum + part;
}
