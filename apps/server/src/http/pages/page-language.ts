import { readdirSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import Negotiator from "negotiator";

/** The language that the console is written in, as a tag. */
export const SOURCE_LANGUAGE = "en";

/** The cookie in which the console keeps what a person chose. */
const CHOSEN = /(?:^|;\s*)language=(?<language>[a-z]{2})(?:;|$)/;

/** Pages differ by these: a cache keeps one of each. */
export const LANGUAGE_VARY = "Accept-Language, Cookie";

/** The script of each further language that the console was built with, by its tag. */
export type LanguageScripts = ReadonlyMap<string, string>;

/**
 * Finds the languages of a built console.
 *
 * @param folder - Its `assets`.
 * @returns Paths of scripts that browsers load before any other, such as `/assets/language-de-x1y2.js`.
 */
export function findLanguageScripts(folder: string): LanguageScripts {
  const found = readdirSync(folder).flatMap((name): [string, string][] => {
    const language = /^language-(?<language>[a-z]{2})-[\w-]+\.js$/.exec(name)?.groups?.["language"];
    return language === undefined ? [] : [[language, `/assets/${name}`]];
  });
  return new Map(found);
}

/** Chooses the language of a page: what the person chose, else what the browser prefers, else English. */
export function choosePageLanguage(
  req: Pick<IncomingMessage, "headers">,
  scripts: LanguageScripts,
): string {
  const offered = [SOURCE_LANGUAGE, ...scripts.keys()];
  const chosen = CHOSEN.exec(req.headers.cookie ?? "")?.groups?.["language"];
  if (chosen !== undefined && offered.includes(chosen)) {
    return chosen;
  }
  return new Negotiator(req).language(offered) ?? SOURCE_LANGUAGE;
}
