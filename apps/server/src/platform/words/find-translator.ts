import type { Language } from "@turnpike/domain/text/languages";
import { createTranslator, type Translator } from "@turnpike/domain/text/translate-words";
import { fillPlaces } from "./fill-places.ts";
import { readCatalogue } from "./read-catalogue.ts";

/** Days are in digits on documents; amounts have the sign of their currency in both, and its code on pages. */
const STYLES = {
  page: { dateStyle: "long", currency: "code" },
  mail: { dateStyle: "long", currency: "symbol" },
  document: { dateStyle: "medium", currency: "symbol" },
} as const;

export type WrittenKind = keyof typeof STYLES;

const translators = new Map<string, Translator | undefined>();

function createKnown(language: Language, kind: WrittenKind): Translator | undefined {
  const messages = readCatalogue("server-words", language);
  return messages === undefined
    ? undefined
    : createTranslator(
        {
          language,
          ids: [...messages.keys()],
          fill: (id, values) => fillPlaces(messages.get(id) ?? id, values),
        },
        STYLES[kind],
      );
}

/**
 * Finds what puts the server's sentences into a language. A catalogue is read when it is first needed, in tens of milliseconds.
 *
 * @returns Undefined for English, in which they are written.
 */
export function findTranslator(language: Language, kind: WrittenKind): Translator | undefined {
  const name = `${language} ${kind}`;
  if (!translators.has(name)) {
    translators.set(name, createKnown(language, kind));
  }
  return translators.get(name);
}
