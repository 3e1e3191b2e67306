import { createSentenceFinder, type FoundSentence } from "./sentence-finder.ts";
import { createWriteValue, type ValueStyle } from "./write-value.ts";

/** What the server wrote, in another language. */
export type Translator = {
  /** One sentence, or several; undefined when one of them is not known. */
  translate(text: string): string | undefined;
  /** A text of several lines and sentences; what is not known in it stays as it is. */
  translateKnown(text: string): string;
  /** The same for a text that no one but the server wrote: sentences with few words of their own are recognised as well. */
  translateOwn(text: string): string;
  /** A number with its unit, an amount or a day, as a sentence has it. */
  translateValue(value: string): string;
};

/** The translated sentences of the server, each under its English. */
export type Catalogue = {
  /** A tag such as "de". */
  language: string;
  /** The English sentences, with numbered places. */
  ids: readonly string[];
  /** Gives the translation of a sentence with its values in their places. */
  fill(id: string, values: readonly string[]): string;
};

/** Values of sentences, some of which are sentences with values of their own. */
const DEPTH_MAX = 3;
const BETWEEN_SENTENCES = /(?<=[.?!]) (?=[\p{Lu}\p{Nd}])/u;
/** Where a value goes on into the next sentence. A short word with a capital letter is an abbreviation: "Acme Inc. Berlin". */
const GOES_ON = /(?:\d|(?<!\p{L})\p{Ll}\p{L}*|\p{L}{5})[)\]”%]*[.?!] (?=[\p{Lu}\p{Nd}])/u;
/** Own characters of a sentence with places from which it is not taken for something that a person wrote. */
const SURE_LENGTH = 12;
/** The same for a text that only the server writes, */
const OWN_LENGTH = 6;
/** and for a sentence within another one. */
const PART_LENGTH = 4;
/** No message has more sentences. */
const SENTENCES_MAX = 6;

/** Which sentences count as recognised. */
type Match = {
  /** Own characters of one with places. */
  ownLengthMin: number;
  /** Whether a value may be more than one sentence. */
  mayGoOn: boolean;
};
const PART: Match = { ownLengthMin: PART_LENGTH, mayGoOn: true };

/** Quoted words of people, which may be several sentences. */
function hasValueThatGoesOn({ id, values }: FoundSentence): boolean {
  return values.some((value, place) => GOES_ON.test(value) && !id.includes(`“{${String(place)}}”`));
}

/**
 * Makes a translator from a catalogue of the server's sentences. The sentence itself is what finds its translation, so one that
 * was written and stored in the past is found as well.
 *
 * @param style - How values are written; left out: as pages have them.
 */
export function createTranslator(
  { language, ids, fill }: Catalogue,
  style?: ValueStyle,
): Translator {
  const find = createSentenceFinder(ids);
  const writeValue = createWriteValue(
    language,
    (noun) => translateOne(noun, DEPTH_MAX, PART),
    style,
  );

  function translateOne(
    text: string,
    depth: number,
    { ownLengthMin, mayGoOn }: Match,
  ): string | undefined {
    const found = depth > DEPTH_MAX ? undefined : find(text);
    if (found === undefined || (found.values.length > 0 && found.ownLength < ownLengthMin)) {
      return;
    }
    if (!mayGoOn && hasValueThatGoesOn(found)) {
      return;
    }
    return fill(
      found.id,
      found.values.map((value) => translateValue(value, depth + 1)),
    );
  }

  function translateValue(value: string, depth: number): string {
    return translateOne(value, depth, PART) ?? writeValue(value);
  }

  /** The longest message that a text begins with, and of how many sentences it is. */
  function findFirst(sentences: readonly string[], match: Match) {
    for (let count = Math.min(sentences.length, SENTENCES_MAX); count > 0; count -= 1) {
      const translated = translateOne(sentences.slice(0, count).join(" "), 0, match);
      if (translated !== undefined) {
        return { text: translated, count };
      }
    }
    return;
  }

  /**
   * The sentences of a text, translated or as they are. Several that belong together are one message, so more are tried first; but
   * not as the value of a message, while there is another way.
   */
  function translateEach(text: string, ownLengthMin: number): { text: string; isKnown: boolean }[] {
    const sentences = text.split(BETWEEN_SENTENCES);
    const parts: { text: string; isKnown: boolean }[] = [];
    let at = 0;
    while (at < sentences.length) {
      const rest = sentences.slice(at);
      const first =
        findFirst(rest, { ownLengthMin, mayGoOn: false }) ??
        findFirst(rest, { ownLengthMin, mayGoOn: true });
      parts.push({ text: first?.text ?? rest[0] ?? "", isKnown: first !== undefined });
      at += first?.count ?? 1;
    }
    return parts;
  }

  const join = (parts: readonly { text: string }[]) => parts.map(({ text }) => text).join(" ");

  function translateLines(text: string, ownLengthMin: number): string {
    // Of several lines no value goes on: it is on one of them.
    const mayGoOn = text.includes("\n");
    return (
      translateOne(text, 0, { ownLengthMin, mayGoOn }) ??
      text
        .split("\n")
        .map((line) => join(translateEach(line, ownLengthMin)))
        .join("\n")
    );
  }

  return {
    translate(text) {
      const parts = translateEach(text, 0);
      return parts.every(({ isKnown }) => isKnown) ? join(parts) : undefined;
    },
    translateKnown: (text) => translateLines(text, SURE_LENGTH),
    translateOwn: (text) => translateLines(text, OWN_LENGTH),
    translateValue: (value) => translateValue(value, 0),
  };
}
