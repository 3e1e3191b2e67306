import { DAY_MS } from "../time/zoned-buckets.ts";
import { type LocalRange, move, type QuestionUnit, wholeUnit } from "./calendar.ts";
import { type Phrase, take } from "./phrase.ts";
import { findRange } from "./ranges/find-range.ts";
import { NUMBER } from "./ranges/range-words.ts";
import type { QuestionClock } from "./ranges/relative-range.ts";

export type FoundComparison = "previous_period" | "previous_year";

const UNITS = "(?:minutes?|hours?|days?|weeks?|months?|quarters?|half|years?|periods?|cycle|time)";
const AGAINST =
  "(?:versus|(?:when |as )?compared? (?:to|with|against)|comparison (?:to|with)|against|relative to)";
const SAME = `(?:(?:the|that|in) )*(?:same )?(?:${UNITS} )?(?:(?:of|in|from) )?(?:the )?`;

const words = (pattern: string) => new RegExp(`(?<![\\w#-])(?:${pattern})(?![\\w-])`);
const YEAR_BEFORE = words(
  `${AGAINST} (?:${SAME}|(?:q[1-4]|[a-z]+) (?:of |in )?(?:the )?)(?:last year|(?:a|one|1) year (?:ago|before|earlier|prior|previously)|(?:previous|prior|year before) ?(?:year)?(?<=year|before))|year[- ]over[- ]year|year[- ]on[- ]year|yoy|y/y`,
);
const PERIOD_BEFORE = words(
  `${AGAINST} (?:(?:the|that) )?(?:same (?:${UNITS} )?(?:(?:of|in|from) )?(?:the )?)?(?:${NUMBER} )?(?:(?:${UNITS} )(?:before(?: (?:that|it|last))?|earlier|prior|preceding|previously)|(?:previous|prior|preceding|last|earlier)(?: ${NUMBER})?(?: (?:billing )?${UNITS}| one)|(?:one|ones) before|before)|(?:minute|hour|day|week|month|quarter|period)[- ](?:over|on)[- ](?:minute|hour|day|week|month|quarter|period)|wow|mom|qoq|dod`,
);
const RANGE_AFTER = words(`${AGAINST}`);
/** “Compare A with B” is “A versus B”. */
const COMPARE =
  /\bcompare (.+?) (?:to|with|and|against) (?=the |#v|last|previous|yesterday|q\d|[a-z]+day|(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|\w+ *$)/;
const GROWTH = words(
  "(?:grow|grew|grown|growth|chang(?:e[sd]?|ing)|increase[sd]?|decrease[sd]?|decline[sd]?|(?:go|gone|went|going) (?:up|down)|(?:up|down) or (?:up|down)|drop(?:ped)?(?! (?:(?:the|all) )?#[vs])|r[io]sen?)(?: (?:in|of))?",
);

const MORE =
  "(?:more|fewer|less|higher|lower|larger|smaller|bigger|busier|slower|faster|worse|better|up|down)";
/** “More traffic than last week”: the range that is not named is the running one. */
const MORE_THAN_LAST = new RegExp(
  `\\b${MORE}\\b((?:(?! than ).)*) than (?:(?:it|they|we) (?:was|were|did|had) )?(?:in |on |during |for )?(?:the )?(?:last|previous|prior) (hour|day|week|month|quarter|year)\\b`,
);
const MORE_THAN_YESTERDAY = new RegExp(`\\b${MORE}\\b((?:(?! than ).)*) than yesterday\\b`);
/** “More failures on Monday than on Sunday”. */
const MORE_THAN = new RegExp(
  `\\b${MORE}\\b((?:(?! than ).)*) than (?:(?:it|they|we) (?:was|were|did|had) )?(?:in |on |during )?(?=(?:the )?(?:q[1-4]\\b|[a-z]+day\\b|(?:january|february|march|april|may|june|july|august|september|october|november|december)\\b|(?:week|day|month|year|quarter) before\\b|(?:a|one) (?:week|month|year) ago\\b))`,
);
const NAMES_RANGE =
  /\b(?:this|today|yesterday|since|q[1-4]|in (?:january|february|march|april|may|june|july|august|september|october|november|december)|last)\b/;
const DIFFERENCE = /\bdifferences? (?:in|of) (.+?) between (.+?) and\b/;

const beforeLast = (text: string) => text.slice(0, text.lastIndexOf(" than "));

const PERIOD =
  "(?:q[1-4]|[a-z]+day|(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec)(?: 20\\d\\d)?|20\\d\\d)";
/** “How did traffic change from May to June”. */
const FROM_TO = new RegExp(
  `\\b((?:chang|grow|grew|grown|ris|rose|increas|decreas|declin|drop|fell|fall|differ|mov|go|went|evolv|develop)\\w*)(?: (?:up|down|by|in))? (?:from|between) (${PERIOD}) (?:to|and) (${PERIOD})(?![\\w-])`,
);
/** Comparatives that say what is measured. */
const IMPLIED = /\b(?:busier|quieter)(?= (?:\S+ ){0,4}than\b)/;
const IMPLIED_MEASURES: Readonly<Record<string, string>> = {
  busier: "requests more",
  quieter: "requests less",
};

/** “How much faster did search get”. */
const HOW_MUCH = /\bhow much (faster|slower|more|less|higher|lower)\b(?!.* than )/;

/** Writes “compare A with B”, “more of A than B” and “the difference between A and B” as “A versus B”. */
export function rewriteComparison(phrase: Phrase): void {
  const withRunning = (middle: string, unit: string) =>
    NAMES_RANGE.test(beforeLast(phrase.text)) ? middle : `${middle} ${unit}`;
  phrase.text = phrase.text
    .replace(COMPARE, "$1 versus ")
    .replace(FROM_TO, "$1 in $3 versus $2")
    .replace(IMPLIED, (word) => IMPLIED_MEASURES[word] ?? word)
    .replace(DIFFERENCE, "$1 of $2 versus")
    .replace(
      MORE_THAN_LAST,
      (_, middle: string, unit: string) =>
        `${withRunning(middle, `this ${unit}`)} versus last ${unit}`,
    )
    .replace(
      MORE_THAN_YESTERDAY,
      (_, middle: string) => `${withRunning(middle, "today")} versus yesterday`,
    )
    .replace(MORE_THAN, "$1 versus ")
    .replace(HOW_MUCH, (_, word: string) =>
      /er$/.test(word) && /^[fs]/.test(word)
        ? "how much p95 latency change in"
        : "how much change in",
    );
}

/** A month of 28 days is as long as one of 31. */
const ALIKE = 0.85;
const YEAR_DAYS_MIN = 360 * 86_400_000;

/** Words of a comparison, and the unit of time that they name. */
export type NamedComparison = {
  readonly compare: FoundComparison;
  readonly text: string;
  readonly unit?: QuestionUnit;
};

/** Takes words such as “vs the week before” out of a phrase. */
export function findComparison(phrase: Phrase): NamedComparison | undefined {
  const year = take(phrase, YEAR_BEFORE);
  if (year !== undefined) {
    return { compare: "previous_year", text: year[0] };
  }
  const period = take(phrase, PERIOD_BEFORE);
  if (period === undefined) {
    return;
  }
  const [text] = period;
  const unit =
    /(?<!s )\b(day|week|month|quarter|year)\b(?!.*\b(?:day|week|month|quarter|year)\b)/.exec(
      text,
    )?.[1];
  return {
    compare: "previous_period",
    text,
    ...(unit === undefined ? {} : { unit: unit as QuestionUnit }),
  };
}

/** True where the period before a range is the one that the words name: not for “yesterday vs the same day last week”. */
export function isLike({ unit }: NamedComparison, range: LocalRange, nowMs: number): boolean {
  if (unit === undefined) {
    return true;
  }
  const whole = wholeUnit(unit, range.fromMs);
  const lengthMs = range.toMs - range.fromMs;
  const isRunning = range.fromMs === whole.fromMs && range.toMs > nowMs;
  const longestMs = Math.max(whole.toMs - whole.fromMs, (unit === "month" ? 31 : 1) * DAY_MS);
  return isRunning || (lengthMs <= longestMs && lengthMs >= (whole.toMs - whole.fromMs) * ALIKE);
}

const UNIT_OVER_UNIT = /(?<![\w#-])(day|week|month)[ -](?:over|on|by)[ -]\1(?![\w-])/;

/** The step of “month over month”, for a range of several months; taken out of the phrase only then. */
export function findStep(text: string): "day" | "week" | "month" | undefined {
  return UNIT_OVER_UNIT.exec(text)?.[1] as "day" | "week" | "month" | undefined;
}

/** True after taking a word of change out of a phrase: “how much did traffic grow”. */
export const findGrowth = (phrase: Phrase): boolean => take(phrase, GROWTH) !== undefined;

/** Takes the second range of “June versus May”: the later one is compared with the one before it; `undefined` when neither is. */
export function findSecondRange(
  phrase: Phrase,
  clock: QuestionClock,
  first: LocalRange,
): { readonly compare: FoundComparison; readonly range: LocalRange } | undefined {
  const rest: Phrase = { text: phrase.text };
  if (take(rest, RANGE_AFTER) === undefined) {
    return;
  }
  const second = findRange(rest, clock);
  if (second === undefined) {
    return;
  }
  // “May versus June” is June, compared with May.
  for (const [range, other] of [
    [first, second],
    [second, first],
  ] as const) {
    const compare = toComparison(range, other);
    if (compare !== undefined) {
      phrase.text = rest.text;
      return { compare, range };
    }
  }
  return;
}

/** How a range compares with another; `undefined` when the other is neither the one before nor that of the year before. */
export function toComparison(first: LocalRange, second: LocalRange): FoundComparison | undefined {
  const units: readonly QuestionUnit[] = ["month", "quarter", "half", "year"];
  const isAdjacent =
    second.toMs === first.fromMs &&
    (second.toMs - second.fromMs === first.toMs - first.fromMs ||
      units.some((unit) => move(unit, second.fromMs, 1) === first.fromMs) ||
      first.toMs - first.fromMs < second.toMs - second.fromMs);
  const isYearBefore = second.fromMs === move("year", first.fromMs, -1);
  const isWholeYear = first.toMs - first.fromMs > YEAR_DAYS_MIN;
  if (!isAdjacent && !isYearBefore) {
    return;
  }
  return isAdjacent || isWholeYear ? "previous_period" : "previous_year";
}
