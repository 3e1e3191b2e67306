import type { QuestionUnit } from "../calendar.ts";

const MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
export const WEEKDAY_NAMES = "mon tue wed thu fri sat sun".split(" ");
const NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const MANY: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  couple: 2,
  few: 3,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  sixty: 60,
  ninety: 90,
  dozen: 12,
};
const ORDINALS = "first second third fourth".split(" ");
/** “The last quarter of 2025”. */
export const LAST_OF_YEAR: Readonly<Record<string, number>> = { month: 1, quarter: 3, half: 6 };

/** Words for numbers in patterns. */
export const NUMBER = `(?:\\d{1,4}|${[...NUMBERS, ...Object.keys(MANY)].join("|")})`;
export const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
export const WEEKDAY =
  "(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)s?";
export const UNIT = "(?:minute|hour|day|week|month|quarter|half|year)";
export const DAY = "\\d{1,2}(?:st|nd|rd|th)?";
export const YEAR = "20\\d\\d";
/** A year beside a month, a quarter or a half, by its number or from here. */
export const OF_YEAR = `(?:,?(?: of| in)? (${YEAR}|(?:last|this|the previous|the|the current) year))?`;
export const LAST = "(?:last|previous|prior|preceding)";
export const THIS = "(?:this|the current|current)";

/** Digits or a word; `undefined` for neither. */
export function toNumber(word: string | undefined): number | undefined {
  if (word === undefined) {
    return;
  }
  if (/^\d+$/.test(word)) {
    return Number(word);
  }
  const small = NUMBERS.indexOf(word);
  return small >= 0 ? small : MANY[word];
}

export const toMonth = (name: string) => MONTH_NAMES.indexOf(name.slice(0, 3));
export const toOrdinal = (word: string) => {
  const found = ORDINALS.indexOf(word);
  return found >= 0 ? found : Number.parseInt(word, 10) - 1;
};
export const toUnit = (word: string): QuestionUnit =>
  (word.endsWith("s") ? word.slice(0, -1) : word) as QuestionUnit;
