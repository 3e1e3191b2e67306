import { type Messages, setupI18n } from "@lingui/core";
import { TransNoContext, type TransProps } from "@lingui/react/server";
import type { ReactNode } from "react";

/** The language that the strings in the code are written in. */
const SOURCE_LANGUAGE = "en";

/** What the script of a language leaves behind, before the first module with strings is loaded. */
export type LoadedLanguage = { language: string; messages: Messages };

declare global {
  var turnpikeLanguage: LoadedLanguage | undefined;
}

const loaded = globalThis.turnpikeLanguage;

/** The language of this page, as a tag such as "de". It does not change while the page is open. */
export const LANGUAGE = loaded?.language ?? SOURCE_LANGUAGE;

/** Finds the strings of {@link LANGUAGE}. The macros of Lingui use it: no other code needs it. */
export const i18n = setupI18n({
  locale: LANGUAGE,
  messages: { [LANGUAGE]: loaded?.messages ?? {} },
});

/**
 * What the macro of the same name becomes. It needs no provider, because a page has one language.
 *
 * @public
 */
export function Trans(props: TransProps): ReactNode {
  return <TransNoContext {...props} lingui={{ i18n }} />;
}

/** A label as it is written within a sentence. Languages with capitals of their own keep them. */
export function inSentence(label: string): string {
  return LANGUAGE === SOURCE_LANGUAGE ? label.toLowerCase() : label;
}
