import { createSentenceFinder } from "./sentence-finder.ts";
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
/** Own characters of a sentence with places from which it is not taken for something that a person wrote. */
const SURE_LENGTH = 12;
/** The same for a text that only the server writes, */
const OWN_LENGTH = 6;
/** and for a sentence within another one. */
const PART_LENGTH = 4;
/** No message has more sentences. */
const SENTENCES_MAX = 6;

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
    (noun) => translateOne(noun, DEPTH_MAX, PART_LENGTH),
    style,
  );

  function translateOne(text: string, depth: number, ownLengthMin: number): string | undefined {
    const found = depth > DEPTH_MAX ? undefined : find(text);
    if (found === undefined || (found.values.length > 0 && found.ownLength < ownLengthMin)) {
      return;
    }
    return fill(
      found.id,
      found.values.map((value) => translateValue(value, depth + 1)),
    );
  }

  function translateValue(value: string, depth: number): string {
    return translateOne(value, depth, PART_LENGTH) ?? writeValue(value);
  }

  function hasSentenceInValue(text: string): boolean {
    return find(text)?.values.some((value) => BETWEEN_SENTENCES.test(value)) === true;
  }

  /** The sentences of a text, translated or as they are. Several that belong together are one message, so more are tried first. */
  function translateEach(text: string, ownLengthMin: number): { text: string; isKnown: boolean }[] {
    const sentences = text.split(BETWEEN_SENTENCES);
    const parts: { text: string; isKnown: boolean }[] = [];
    let at = 0;
    while (at < sentences.length) {
      let next = Math.min(sentences.length, at + SENTENCES_MAX);
      let translated: string | undefined;
      const isFirstKnown = translateOne(sentences[at] ?? "", 0, ownLengthMin) !== undefined;
      for (; next > at && translated === undefined; next -= 1) {
        const text = sentences.slice(at, next).join(" ");
        // What begins with a sentence of its own is not the first value of another one.
        translated =
          isFirstKnown && hasSentenceInValue(text)
            ? undefined
            : translateOne(text, 0, ownLengthMin);
      }
      const isKnown = translated !== undefined;
      parts.push({ text: translated ?? sentences[at] ?? "", isKnown });
      at = isKnown ? next + 1 : at + 1;
    }
    return parts;
  }

  const join = (parts: readonly { text: string }[]) => parts.map(({ text }) => text).join(" ");

  function translateLines(text: string, ownLengthMin: number): string {
    const whole = text.includes("\n") ? translateOne(text, 0, ownLengthMin) : undefined;
    return (
      whole ??
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
