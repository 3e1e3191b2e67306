import { type Messages, setupI18n } from "@lingui/core";
import { createSentenceFinder } from "@turnpike/domain/text/sentence-finder";
import { createWriteValue } from "./write-value.ts";

/** What the server wrote, in the language of the page. */
export type Translator = {
  /** One sentence, or several; undefined when one of them is not known. */
  translate(text: string): string | undefined;
  /** A text of several lines and sentences; what is not known in it stays as it is. */
  translateKnown(text: string): string;
  /** A number with its unit, an amount or a day, as a sentence has it. */
  translateValue(value: string): string;
};

/** Values of sentences, some of which are sentences with values of their own. */
const DEPTH_MAX = 3;
const BETWEEN_SENTENCES = /(?<=[.?!]) (?=\p{Lu})/u;
/** Own characters of a sentence with places from which it is not taken for something that a person wrote. */
const SURE_LENGTH = 12;
/** The same for a sentence within another one, which only the server writes. */
const PART_LENGTH = 4;
/** No message has more sentences. */
const SENTENCES_MAX = 6;

/**
 * Makes a translator from a catalogue of the server's sentences. The sentence itself is what finds its translation, so one that
 * was written and stored in the past is found as well.
 */
export function createTranslator(language: string, messages: Messages): Translator {
  const i18n = setupI18n({ locale: language, messages: { [language]: messages } });
  const find = createSentenceFinder(Object.keys(messages));
  const writeValue = createWriteValue(language, (noun) =>
    translateOne(noun, DEPTH_MAX, PART_LENGTH),
  );

  function translateOne(text: string, depth: number, ownLengthMin: number): string | undefined {
    const found = depth > DEPTH_MAX ? undefined : find(text);
    if (found === undefined || (found.values.length > 0 && found.ownLength < ownLengthMin)) {
      return;
    }
    const values = found.values.map((value) => translateValue(value, depth + 1));
    return i18n._(found.id, { ...values });
  }

  function translateValue(value: string, depth: number): string {
    return translateOne(value, depth, PART_LENGTH) ?? writeValue(value);
  }

  /** The sentences of a text, translated or as they are. Several that belong together are one message, so more are tried first. */
  function translateEach(text: string, ownLengthMin: number): { text: string; isKnown: boolean }[] {
    const sentences = text.split(BETWEEN_SENTENCES);
    const parts: { text: string; isKnown: boolean }[] = [];
    let at = 0;
    while (at < sentences.length) {
      let next = Math.min(sentences.length, at + SENTENCES_MAX);
      let translated: string | undefined;
      for (; next > at && translated === undefined; next -= 1) {
        translated = translateOne(sentences.slice(at, next).join(" "), 0, ownLengthMin);
      }
      const isKnown = translated !== undefined;
      parts.push({ text: translated ?? sentences[at] ?? "", isKnown });
      at = isKnown ? next + 1 : at + 1;
    }
    return parts;
  }

  const join = (parts: readonly { text: string }[]) => parts.map(({ text }) => text).join(" ");

  return {
    translate(text) {
      const parts = translateEach(text, 0);
      return parts.every(({ isKnown }) => isKnown) ? join(parts) : undefined;
    },
    translateKnown(text) {
      return (
        translateOne(text, 0, SURE_LENGTH) ??
        text
          .split("\n")
          .map((line) => join(translateEach(line, SURE_LENGTH)))
          .join("\n")
      );
    },
    translateValue: (value) => translateValue(value, 0),
  };
}
