import { readdirSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { isLanguage, LANGUAGES, type Language } from "@turnpike/domain/text/languages";
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

/** What programs send that have no language. */
const ANY = "*";

type AskedBy = Pick<IncomingMessage, "headers">;

function findChosen({ headers }: AskedBy, offered: readonly string[]): string | undefined {
  const chosen = CHOSEN.exec(headers.cookie ?? "")?.groups?.["language"];
  return chosen !== undefined && offered.includes(chosen) ? chosen : undefined;
}

/** Chooses the language of a page: what the person chose, else what the browser prefers, else English. */
export function choosePageLanguage(req: AskedBy, scripts: LanguageScripts): string {
  const offered = [SOURCE_LANGUAGE, ...scripts.keys()];
  return findChosen(req, offered) ?? new Negotiator(req).language(offered) ?? SOURCE_LANGUAGE;
}

/** The language in which a person reads, by the same rule; undefined for a program that names none. */
export function findRequestLanguage(req: AskedBy): Language | undefined {
  const { "accept-language": preferred = ANY } = req.headers;
  const named =
    findChosen(req, LANGUAGES) ??
    (preferred === ANY ? undefined : new Negotiator(req).language([...LANGUAGES]));
  return isLanguage(named) ? named : undefined;
}
