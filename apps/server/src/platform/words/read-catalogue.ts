import { readFileSync } from "node:fs";
import type { Language } from "@turnpike/domain/text/languages";
import { parsePo } from "./parse-po.ts";

/** Catalogues of what the server says: what people read in the console and in mails, what is printed on documents, and answers. */
export type CatalogueName = "server-words" | "document-words" | "answer-words";

/** They are kept beside those of the console, whose tools write them. */
const FOLDER = new URL("../../../../console/src/locales/server/", import.meta.url);
/** The language in which the code is written. */
const SOURCE: Language = "en";

/** @returns Translations by sentence; undefined for English. */
export function readCatalogue(
  name: CatalogueName,
  language: Language,
): ReadonlyMap<string, string> | undefined {
  return language === SOURCE
    ? undefined
    : parsePo(readFileSync(new URL(`${name}-${language}.po`, FOLDER), "utf8"));
}
