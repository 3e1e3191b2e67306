import { type Messages, setupI18n } from "@lingui/core";
import { createSentenceFinder } from "@turnpike/domain/text/sentence-finder";
import { createWriteValue } from "./write-value.ts";

/** What the server wrote, in the language of the page. */
export type Translator = {
  /** One sentence, or several; undefined when one of them is not known. */
  translate(text: string): string | undefined;
  /** A text of several lines and sentences; what is not known in it stays as it is. */
  translateKnown(text: string): string;
};

/** Values are sentences themselves, at times, and what stands in those. */
const DEPTH_MAX = 3;
const BETWEEN_SENTENCES = /(?<=[.?!]) (?=\p{Lu})/u;
/** Own characters of a sentence with places from which it is not taken for something that a person wrote. */
const SURE_LENGTH = 12;

/**
 * Makes a translator from a catalogue of the server's sentences. The sentence itself is what finds its translation, so one that
 * was written and stored in the past is found as well.
 */
export function createTranslator(language: string, messages: Messages): Translator {
  const i18n = setupI18n({ locale: language, messages: { [language]: messages } });
  const find = createSentenceFinder(Object.keys(messages));
  const writeValue = createWriteValue(language);

  function translateOne(text: string, depth: number, ownLengthMin: number): string | undefined {
    const found = depth > DEPTH_MAX ? undefined : find(text);
    if (found === undefined || (found.values.length > 0 && found.ownLength < ownLengthMin)) {
      return;
    }
    const values = found.values.map(
      (value) => translateOne(value, depth + 1, SURE_LENGTH) ?? writeValue(value),
    );
    return i18n._(found.id, { ...values });
  }

  function translateEach(text: string, ownLengthMin: number): (string | undefined)[] {
    const whole = translateOne(text, 0, ownLengthMin);
    return whole === undefined
      ? text.split(BETWEEN_SENTENCES).map((sentence) => translateOne(sentence, 0, ownLengthMin))
      : [whole];
  }

  return {
    translate(text) {
      const sentences = translateEach(text, 0);
      return sentences.includes(undefined) ? undefined : sentences.join(" ");
    },
    translateKnown(text) {
      const whole = translateOne(text, 0, SURE_LENGTH);
      return (
        whole ??
        text
          .split("\n")
          .map((line) => {
            const sentences = line.split(BETWEEN_SENTENCES);
            const translated = translateEach(line, SURE_LENGTH);
            return translated.length === 1 && translated[0] !== undefined
              ? translated[0]
              : sentences.map((sentence, index) => translated[index] ?? sentence).join(" ");
          })
          .join("\n")
      );
    },
  };
}
