import type { Language } from "@turnpike/domain/text/languages";
import { createSentenceFinder } from "@turnpike/domain/text/sentence-finder";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { fillPlaces } from "#platform/words/fill-places.ts";
import { findTranslator } from "#platform/words/find-translator.ts";
import { readCatalogue } from "#platform/words/read-catalogue.ts";

/** How an answer speaks: in the language of the person who asks. */
export type AnswerWords = {
  language: Language;
  /** A sentence, or a part of one, with values in its places, each written by the functions below. */
  say(sentence: string, ...values: readonly string[]): string;
  /** A sentence that other modules wrote in English, with its values. */
  translate(text: string): string;
  /** What the grammar of questions assumed, or offers, in English. Words of the person who asks stay. */
  recognise(text: string): string;
  /** A name of the product's within a sentence: `Error rate` is `error rate` in English. */
  inSentence(title: string): string;
  /** A decimal such as `1234.5`. */
  number(decimal: number | string): string;
  percent(decimal: number | string): string;
  /** @param currency - Null where the answer has several. */
  money(decimal: number | string, currency: string | null): string;
  list(texts: readonly string[], word?: "and" | "or"): string;
  time(timeZone: string, options: Intl.DateTimeFormatOptions): (ms: number) => string;
};

const writeTime =
  (tag: string): AnswerWords["time"] =>
  (timeZone, options) => {
    const format = new Intl.DateTimeFormat(tag, { timeZone, ...options });
    return (ms) => format.format(ms);
  };

const ENGLISH: AnswerWords = {
  language: "en",
  say: (sentence, ...values) => fillPlaces(sentence, values),
  translate: (text) => text,
  recognise: (text) => text,
  // p95 is written as it is.
  inSentence: (title) => (/^[a-z]\d/.test(title) ? title : title.toLowerCase()),
  number: toGrouped,
  percent: (decimal) => `${toGrouped(decimal)}%`,
  money: (decimal, currency) =>
    currency === null ? toGrouped(decimal) : `${toGrouped(decimal)} ${currency}`,
  list: (texts, word = "and") =>
    texts.length < 2
      ? (texts[0] ?? "")
      : `${texts.slice(0, -1).join(", ")} ${word} ${texts.at(-1) ?? ""}`,
  time: writeTime("en-GB"),
};

/** A decimal is never made a floating-point number: `Intl` takes it as a text. */
function writeNumber(language: Language, decimal: number | string): string {
  const text = String(decimal);
  const digits = text.split(".")[1]?.length ?? 0;
  return new Intl.NumberFormat(language, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(text as `${number}`);
}

function createWords(language: Language): AnswerWords {
  const messages = readCatalogue("answer-words", language);
  const translator = findTranslator(language, "page");
  if (messages === undefined || translator === undefined) {
    return ENGLISH;
  }
  const say: AnswerWords["say"] = (sentence, ...values) =>
    fillPlaces(messages.get(sentence) ?? sentence, values);
  const number: AnswerWords["number"] = (decimal) => writeNumber(language, decimal);
  const find = createSentenceFinder([...messages.keys()]);
  /** A noun or a title of the product's, in small letters or as it is; anything else is a name, or a number. */
  const writeName = (name: string): string =>
    messages.get(name) ?? messages.get(`${name.charAt(0).toUpperCase()}${name.slice(1)}`) ?? name;
  const recognise = (text: string): string => {
    const found = find(text);
    return found === undefined ? writeName(text) : say(found.id, ...found.values.map(writeName));
  };
  const lists = {
    and: new Intl.ListFormat(language, { type: "conjunction" }),
    or: new Intl.ListFormat(language, { type: "disjunction" }),
  };
  return {
    language,
    say,
    translate: translator.translateOwn,
    recognise,
    inSentence: (title) => say(title),
    number,
    percent: (decimal) => `${number(decimal)} %`,
    money: (decimal, currency) =>
      currency === null ? number(decimal) : `${number(decimal)} ${currency}`,
    list: (texts, word = "and") => lists[word].format(texts),
    time: writeTime(language),
  };
}

const known = new Map<Language, AnswerWords>();

/** @param language - Left out: English. */
export function wordsOf(language: Language = "en"): AnswerWords {
  const words = known.get(language) ?? createWords(language);
  known.set(language, words);
  return words;
}
