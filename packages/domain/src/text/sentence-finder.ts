/** A sentence that was recognised: the message with its places, and the values in them. */
export type FoundSentence = {
  id: string;
  values: readonly string[];
  /** How many characters are the message's own, not a value's. */
  ownLength: number;
};

/** Text as it stands in a message, where braces mark places. */
export function toMessageId(text: string): string {
  return text.replaceAll(/[{}]/g, "'$&'");
}

type Pattern = {
  id: string;
  literals: readonly string[];
  places: readonly number[];
  ownLength: number;
};

function toPattern(id: string): Pattern {
  const parts = id.split(/\{(\d+)\}/);
  const literals = parts
    .filter((_, index) => index % 2 === 0)
    .map((text) => text.replaceAll(/'([{}])'/g, "$1"));
  return {
    id,
    literals,
    places: parts.filter((_, index) => index % 2 === 1).map(Number),
    ownLength: literals.join("").length,
  };
}

/** Where values follow each other without anything between them, no one can say where the first ends. */
function isReadable({ literals }: Pattern): boolean {
  return literals.slice(1, -1).every((literal) => literal !== "");
}

/** The values at the places; undefined when the text is no such sentence. Each value is the shortest that fits, on one line. */
function readValues(text: string, { literals, places }: Pattern): string[] | undefined {
  const first = literals[0] ?? "";
  const last = literals.at(-1) ?? "";
  if (
    !(text.startsWith(first) && text.endsWith(last)) ||
    text.length < first.length + last.length
  ) {
    return;
  }
  const end = text.length - last.length;
  const values: string[] = [];
  let at = first.length;
  for (const [index, place] of places.entries()) {
    const isLast = index === places.length - 1;
    const literal = literals[index + 1] ?? "";
    const next = isLast ? end : text.indexOf(literal, at + 1);
    if (next <= at || next > end) {
      return;
    }
    const value = text.slice(at, next);
    if (value.includes("\n")) {
      return;
    }
    values[place] = value;
    at = next + literal.length;
  }
  return values;
}

/**
 * Makes what recognises sentences that were written by a program from messages with places, such as "At most {0} keys.". Where
 * several fit, the one with most of its own text is it.
 *
 * @param ids - The messages. Their places are numbered from 0; each stands once.
 * @returns Gives undefined for a text that none of them fits.
 */
export function createSentenceFinder(
  ids: readonly string[],
): (text: string) => FoundSentence | undefined {
  const known = new Set(ids);
  const patterns = ids
    .filter((id) => /\{\d+\}/.test(id))
    .map(toPattern)
    .filter(isReadable)
    .sort((one, other) => other.ownLength - one.ownLength);
  return (text) => {
    const id = toMessageId(text);
    if (known.has(id)) {
      return { id, values: [], ownLength: text.length };
    }
    for (const pattern of patterns) {
      const values = readValues(text, pattern);
      if (values !== undefined) {
        return { id: pattern.id, values, ownLength: pattern.ownLength };
      }
    }
    return;
  };
}
