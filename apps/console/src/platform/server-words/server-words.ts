import type { Messages } from "@lingui/core";
import type { Translator } from "@turnpike/domain/text/translate-words";
import { LANGUAGE } from "@turnpike/ui/language";

/** The catalogues of the server's sentences, each fetched only by pages in its language. English needs none. */
const CATALOGUES: Readonly<Record<string, () => Promise<{ messages: Messages }>>> = {
  de: () => import("../../locales/server/server-words-de.po"),
};

let translator: Translator | undefined;
let loading: Promise<void> | undefined;

/**
 * Waits for the words of {@link LANGUAGE}, once for a page. Every request waits for them before its answer is used, so
 * that {@link inLanguage} need not. Without them the server's English is shown.
 */
export async function loadServerWords(): Promise<void> {
  const load = CATALOGUES[LANGUAGE];
  if (load === undefined) {
    return;
  }
  loading ??= Promise.all([load(), import("./to-translator.ts")]).then(
    ([{ messages }, { toTranslator }]) => {
      translator = toTranslator(LANGUAGE, messages);
    },
    () => {
      // Without a network: asked again, it may be there.
      loading = undefined;
    },
  );
  await loading;
}

/** What the server says, in the language of the page. Names, and sentences that people wrote, stay as they are. */
export function inLanguage(text: string): string {
  return translator?.translateKnown(text) ?? text;
}

/** The same for a text that no person wrote: short sentences, such as "Pro is active.", are recognised as well. */
export function ownInLanguage(text: string): string {
  return translator?.translateOwn(text) ?? text;
}

/** A value of such a sentence by itself: "1,204 requests". */
export function valueInLanguage(value: string): string {
  return translator?.translateValue(value) ?? value;
}

/** What only the server writes; undefined where its words are not known. An English page knows them all. */
export function findInLanguage(text: string): string | undefined {
  return CATALOGUES[LANGUAGE] === undefined ? text : translator?.translate(text);
}
