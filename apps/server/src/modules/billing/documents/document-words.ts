import type { Currency } from "@turnpike/domain/money/currency";
import type { Language } from "@turnpike/domain/text/languages";
import { fillPlaces } from "#platform/words/fill-places.ts";
import { findTranslator } from "#platform/words/find-translator.ts";
import { readCatalogue } from "#platform/words/read-catalogue.ts";
import { groupDigits, toCountryText, toDayText, toRangeText } from "./print-text.ts";

/** How a document speaks. Its language is frozen at the issue, so one document always says the same. */
export type DocumentWords = {
  language: Language;
  /** A sentence with values in its places, each written by the functions below. */
  say(sentence: string, ...values: readonly string[]): string;
  /** A sentence that was written in English, with its values, before the language mattered. */
  translate(text: string): string;
  /** A decimal such as `1234.5`. */
  number(decimal: string): string;
  /** An amount in units of the currency, with all decimals that are given. */
  money(decimal: string, currency: Currency): string;
  day(instant: Date | number): string;
  /** The days of a half open range. */
  range(fromMs: number, toMs: number): string;
  country(code: string): string;
};

/** Amounts stand below the name of their currency. */
const ENGLISH: DocumentWords = {
  language: "en",
  say: (sentence, ...values) => fillPlaces(sentence, values),
  translate: (text) => text,
  number: groupDigits,
  money: groupDigits,
  day: toDayText,
  range: toRangeText,
  country: toCountryText,
};

function countDecimals(decimal: string): number {
  return decimal.split(".")[1]?.length ?? 0;
}

/** A decimal is never made a floating-point number: `Intl` takes it as a text. */
function writeDecimal(
  language: Language,
  decimal: string,
  options: Intl.NumberFormatOptions = {},
): string {
  const digits = countDecimals(decimal);
  return new Intl.NumberFormat(language, {
    ...options,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(decimal as `${number}`);
}

function createWords(language: Language): DocumentWords {
  const messages = readCatalogue("document-words", language);
  const translator = findTranslator(language, "document");
  if (messages === undefined || translator === undefined) {
    return ENGLISH;
  }
  const dates = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });
  const countries = new Intl.DisplayNames(language, { type: "region" });
  return {
    language,
    say: (sentence, ...values) => fillPlaces(messages.get(sentence) ?? sentence, values),
    translate: translator.translateOwn,
    number: (decimal) => writeDecimal(language, decimal),
    money: (decimal, { code }) =>
      writeDecimal(language, decimal, { style: "currency", currency: code }),
    day: (instant) => dates.format(instant),
    range(fromMs, toMs) {
      const [first, last] = [dates.format(fromMs), dates.format(Math.max(fromMs, toMs - 1))];
      return first === last ? first : `${first} – ${last}`;
    },
    country: (code) => countries.of(code) ?? code,
  };
}

const known = new Map<Language, DocumentWords>();

/** @param language - Left out on documents that were issued before there were others: English. */
export function wordsOf(language: Language = "en"): DocumentWords {
  const words = known.get(language) ?? createWords(language);
  known.set(language, words);
  return words;
}
