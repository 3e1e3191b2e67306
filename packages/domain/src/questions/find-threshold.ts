import { type Phrase, take } from "./phrase.ts";
import type { FilterOperator } from "./question-reading.ts";

export type FoundThreshold = {
  readonly op: FilterOperator;
  readonly value: number;
  readonly isPercent: boolean;
  /** True for a number of seconds or milliseconds. */
  readonly isTime: boolean;
  /** True for “slower than”, which is about latency. */
  readonly isLatency: boolean;
};

const OPERATORS: readonly (readonly [string, FilterOperator])[] = [
  ["at least|no less than|not less than|>=|minimum of", "gte"],
  ["at most|no more than|not more than|<=|maximum of", "lte"],
  ["slower than|longer than", "gt"],
  ["faster than|quicker than", "lt"],
  [
    "more than|over|above|greater than|exceed(?:s|ed|ing)?|higher than|larger than|bigger than|beyond|>|upwards of",
    "gt",
  ],
  ["less than|fewer than|under|below|lower than|smaller than|<", "lt"],
];
const UNITS: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  million: 1e6,
  m: 1e6,
  billion: 1e9,
  s: 1e3,
  sec: 1e3,
  secs: 1e3,
  second: 1e3,
  seconds: 1e3,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
};
const NUMBER_WORDS: Readonly<Record<string, number>> = {
  a: 1,
  one: 1,
  ten: 10,
  two: 2,
  hundred: 100,
};

const PATTERNS = OPERATORS.map(([names, op]) => ({
  op,
  isLatency: /slower|faster/.test(names),
  pattern: new RegExp(
    `(?<![\\w#])(?:of |is |was )?(?:${names}) ?(?:than )?[$€£]? ?(\\d+(?:[.]\\d+)?|hundred|ten|two|one|a) ?(k|thousand|million|billion|m|%|percent|ms|milliseconds?|seconds?|secs?|s|kb|mb|gb|tb)?(?:[$€£]| (?:dollars|euros|usd|eur))?(?![\\w.%-])(?! (?:minutes?|hours?|days?|weeks?|months?|quarters?|years?))`,
  ),
}));

const TIME = /^(?:ms|millisecond|s$|sec)/;
const AMOUNT =
  "[$€£]? ?(\\d+(?:[.]\\d+)?) ?(k|thousand|million|billion|m|%|percent|ms|milliseconds?|seconds?|secs?|s|kb|mb|gb|tb)?";
const BETWEEN = new RegExp(
  `(?<![\\w#])(?<!(?:status|statuses|code|codes) )between ${AMOUNT} (?:and|to|-) ${AMOUNT}(?:[$€£]| (?:dollars|euros|usd|eur))?(?![\\w.%-])(?! (?:minutes?|hours?|days?|weeks?|months?|quarters?|years?))`,
);

/** Takes “between 100 and 500” out of a phrase, both ends included, and leaves `#t`. */
export function findBounds(phrase: Phrase): [FoundThreshold, FoundThreshold] | undefined {
  const match = take(phrase, BETWEEN, "#t");
  if (match === null || match === undefined) {
    return;
  }
  const [, low = "", lowUnit, high = "", highUnit = ""] = match;
  const of = (op: FilterOperator, digits: string, unit: string): FoundThreshold => ({
    op,
    value: Number(digits) * (UNITS[unit] ?? 1),
    isPercent: unit === "%" || unit === "percent",
    isTime: TIME.test(unit),
    isLatency: false,
  });
  return [of("gte", low, lowUnit ?? highUnit), of("lte", high, highUnit)];
}

/** Takes a comparison with a number out of a phrase and leaves `#t`. */
export function findThreshold(phrase: Phrase): FoundThreshold | undefined {
  for (const { op, isLatency, pattern } of PATTERNS) {
    const match = take(phrase, pattern, "#t");
    if (match !== undefined) {
      const [, digits = "", unit = ""] = match;
      const isPercent = unit === "%" || unit === "percent";
      const value = (NUMBER_WORDS[digits] ?? Number(digits)) * (UNITS[unit] ?? 1);
      return { op, value, isPercent, isTime: TIME.test(unit), isLatency };
    }
  }
  return;
}
