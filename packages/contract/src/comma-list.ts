import { z } from "zod";

/** How much of a wrong value an error message repeats. */
const SHOWN_LENGTH = 40;

function show(text: string): string {
  return `"${text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text}"`;
}

/** Splits at commas; `\,` is a comma within a value and `\\` a backslash. */
export function splitAtCommas(text: string): string[] {
  const parts: string[] = [""];
  for (const [, escaped, plain] of text.matchAll(/\\([,\\])|(.)/gsu)) {
    if (plain === ",") {
      parts.push("");
    } else {
      parts.push((parts.pop() ?? "") + (escaped ?? plain ?? ""));
    }
  }
  return parts;
}

/** Longer than any list of allowed values can be. Longer texts are refused unread. */
const TEXT_LENGTH_MAX = 10_000;

type ListOptions<Value> = {
  countMax: number;
  /** Describes a value, for the message about a wrong one: "an id such as key_…". */
  expected: string;
  /** Returns `undefined` for a text that is not a value. */
  parse(text: string): Value | undefined;
  /** Whether the empty text is an empty list. Otherwise it is one value, the empty one. */
  canBeEmpty?: boolean;
};

/** A list in one parameter, such as `a,b`; a comma within a value is written `\,`. No value may repeat. */
export function commaList<Value>(options: ListOptions<Value>) {
  return z.string().transform((text, context): Value[] => {
    const fail = (message: string) => {
      context.issues.push({ code: "custom", input: text, message });
      return z.NEVER;
    };
    if (text === "" && options.canBeEmpty === true) {
      return [];
    }
    if (text.length > TEXT_LENGTH_MAX) {
      return fail(`At most ${String(TEXT_LENGTH_MAX)} characters.`);
    }
    const parts = splitAtCommas(text);
    if (parts.length > options.countMax) {
      return fail(`At most ${String(options.countMax)} values.`);
    }
    const values = new Map<string, Value>();
    for (const part of parts) {
      const value = options.parse(part);
      if (value === undefined) {
        return fail(`${show(part)} is not ${options.expected}.`);
      }
      if (values.has(part)) {
        return fail(`${show(part)} is listed twice.`);
      }
      values.set(part, value);
    }
    return [...values.values()];
  });
}

/** A {@link commaList} of the given words. */
export function wordList<const Word extends string>(
  words: readonly Word[],
  options: { countMax?: number; canBeEmpty?: boolean } = {},
) {
  const known = new Map<string, Word>(words.map((word) => [word, word]));
  const named = words.filter((word) => word !== "" && !word.startsWith("-"));
  return commaList({
    countMax: words.length,
    ...options,
    expected: `one of ${named.join(", ")}`,
    parse: (text) => known.get(text),
  }).meta({ description: `A comma list of ${named.join(", ")}.` });
}
