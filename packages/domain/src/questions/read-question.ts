import { said } from "../text/said.ts";
import { countEdits } from "../text/suggest.ts";
import { DAY_MS } from "../time/zoned-buckets.ts";
import { wholeUnit } from "./calendar.ts";
import { chooseGrain } from "./find-grain.ts";
import { mergeParts } from "./follow-up.ts";
import { isFollowUp } from "./is-follow-up.ts";
import { isForeign } from "./is-foreign.ts";
import { isHostile } from "./is-hostile.ts";
import { nameMeasure } from "./name-measure.ts";
import { findMeter } from "./parts/choose-measures.ts";
import type { QuestionParts } from "./parts/question-parts.ts";
import { readParts } from "./parts/read-parts.ts";
import { QUESTION_LENGTH_MAX } from "./question-limits.ts";
import type { QuestionQuery, QuestionReading } from "./question-reading.ts";
import type { VocabularyIndex } from "./question-vocabulary.ts";
import { defaultRange, type FoundRange, type QuestionClock } from "./ranges/relative-range.ts";

const CHOICES_MAX = 5;
/** Comparing two texts takes the product of their lengths; no name that is meant is longer. */
const COMPARED_LENGTH_MAX = 64;
const RANKED_DEFAULT = 10;

const OPERATOR_ONLY = [
  "tenant",
  "plan",
  "revenue",
  "mrr",
  "tenants",
  "active_tenants",
  "new_tenants",
];
const OFFERS = [
  "requests, errors, latency and usage of meters, by key, route or time",
  "spend and invoices",
  "why a figure changed, and where it will be",
  "quota, the next invoice, which plan fits, keys at risk",
];
const REFUSED: QuestionReading = { kind: "refuse", assumed: [], choices: OFFERS };
const REFUSED_AS_FOREIGN: QuestionReading = { ...REFUSED, isForeign: true };
const VAGUE =
  /\b(?:how (?:is|are|was|were|did)|overview|summary|status|report|statistics|stats)\b|#dstatus/;
const VAGUE_CHOICES = [
  said("requests"),
  said("errors"),
  said("error rate"),
  said("latency"),
  said("spend"),
];
const AMBIGUOUS_DATE = /(?<![\d/])\d{1,2}[/.]\d{1,2}[/.]\d{2,4}(?![\d/])/;
/** Asks what a word means or how a thing is done, rather than for figures. */
const DEFINES =
  /^(?:(?:hey|hi|please|so|ok) )*(?:what (?:is|are) an? (?!#v)|define\b|how (?:do|can|could|should|would) (?:i|we|you|one) (?:create|set|make|use|authenticate|integrate|get started|call|add|change|enable|install|configure|connect|start|revoke|roll|rotate|upgrade|cancel|contact|test|fix)\b|how to\b)|\b(?:what (?:does|do|is) .*\bmean(?:t|s|ing)?(?: by)?|definition|meaning of)\b/;
/** Where calls are counted for each of several, without a word for calls. */
const ASKS_EACH =
  /\b(?:by|per|each)\b|\b(?:which|what) (?:of |do |did |are |were )?(?:our |the |my )?#d\w+ (?!is\b)/;
const CREDIT = /\b(?:credits?|prepaid|pre-paid|balance)\b/;
const COMPARED_WITH = [
  said("compared with the period before"),
  said("compared with the year before"),
];
const RANKED_BY = [said("by key"), said("by route"), said("per day"), said("per hour")];
const PER = {
  minute: said("per minute"),
  hour: said("per hour"),
  day: said("per day"),
  week: said("per week"),
  month: said("per month"),
} as const;
const SMALLER_IS_BETTER = /^(?:error|denied|rate_limited|latency)/;

export type AskedQuestion = {
  readonly question: string;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** The question before, which this one may go on from, or several, the oldest first. */
  readonly after?: string | readonly string[] | undefined;
};

function clarify(choices: readonly string[]): QuestionReading {
  return { kind: "clarify", assumed: [], choices: choices.slice(0, CHOICES_MAX) };
}

/** The names of the vocabulary that are nearest to a word; none for a very long one. */
function listNearest(index: VocabularyIndex, typed: string): string[] {
  if (typed.length > COMPARED_LENGTH_MAX) {
    return [];
  }
  const known = [...index.names.values()].flat();
  const fitting = known.filter(({ field }) => !typed.startsWith("/") || field === "route");
  const values = [...new Set(fitting.map(({ value }) => value))];
  return values
    .filter(({ length }) => length <= COMPARED_LENGTH_MAX)
    .map((value) => ({
      value,
      edits: countEdits(typed, value.toLowerCase()) - sharedLetters(typed, value),
    }))
    .sort((one, other) => one.edits - other.edits)
    .map(({ value }) => value);
}

function sharedLetters(typed: string, value: string): number {
  const name = value.toLowerCase();
  let length = 0;
  while (length < typed.length && typed[length] === name[length]) {
    length += 1;
  }
  return 2 * length;
}

function toText(index: VocabularyIndex, localMs: number): string {
  if (localMs % DAY_MS === 0) {
    return new Date(localMs).toISOString().slice(0, 10);
  }
  const guess = localMs - index.offsetAt(localMs);
  const utcMs = localMs - index.offsetAt(guess);
  return new Date(utcMs).toISOString().replace(/[.]\d{3}Z$/, "Z");
}

function toPeriodMs(index: VocabularyIndex, text: string): number {
  const ms = Date.parse(text);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? ms : ms + index.offsetAt(ms);
}

/**
 * Names that only operators may use are refused before anything else is said about them. The own plan may be named where its quota
 * or the next invoice is asked about: “what is left of my plan?”.
 */
function isForOperators(parts: QuestionParts): boolean {
  const isOfOwnPlan = parts.intent === "quota" || parts.intent === "invoice";
  const named = [
    ...parts.measures,
    ...parts.dimensions.map(({ field }) => field),
    ...parts.filters.map(({ field }) => field),
  ];
  return named.some((name) => OPERATOR_ONLY.includes(name) && !(isOfOwnPlan && name === "plan"));
}

function toQuery(
  index: VocabularyIndex,
  parts: QuestionParts,
  clock: QuestionClock,
): Pick<QuestionReading, "assumed" | "kept"> & { query: QuestionQuery } {
  const named = parts.range ?? defaultRange(clock, { isCompared: parts.compare !== undefined });
  // “This month” of the question before is all of it in a forecast.
  const range: FoundRange =
    parts.intent === "forecast" && named.unit !== undefined
      ? wholeUnit(named.unit, named.fromMs)
      : named;
  const assumed = [...parts.assumed, ...parts.measuresAssumed];
  if (range.assumed !== undefined) {
    assumed.push(range.assumed);
  }
  const { ranking } = parts;
  const measures = [...parts.measures];
  const hasStatus = parts.filters.some(({ field }) => /^status/.test(field));
  if (measures.length === 0) {
    // “Worst for 5xx” counts those calls: their error rate is no measure of anything.
    const ofRanking = hasStatus && ranking?.isJudgement === true ? undefined : ranking?.measure;
    const implied =
      ofRanking ?? findMeter(index, [...parts.filters, ...parts.dimensions])?.slug ?? "requests";
    measures.push(implied);
    // “Quietest” and “429s” say that calls are counted.
    const isNamed =
      ranking?.measure === "requests" ||
      parts.filters.some(({ field }) => /^status|^method/.test(field));
    if (!isNamed) {
      assumed.push(said(`by ${nameMeasure(index.vocabulary, implied)}`));
    }
  }
  const dimensions = parts.dimensions.map(({ field }) => field);
  const [first = ""] = measures;
  const isBad = SMALLER_IS_BETTER.test(first) || (hasStatus && parts.measures.length === 0);
  const isReversed = ranking?.isJudgement === true && !isBad;
  const order = isReversed ? (ranking.order === "asc" ? "desc" : "asc") : ranking?.order;
  const isOne = parts.dimensions.every(({ isPlural }) => !isPlural);
  const limit = ranking?.limit ?? (isOne ? 1 : RANKED_DEFAULT);
  const isRanked = order !== undefined && dimensions.length > 0;
  const isSorted = ranking?.isSort === true && ranking.limit === undefined;
  if (isRanked && ranking?.limit === undefined && !isOne && !isSorted) {
    assumed.push(said(`the first ${String(limit)}`));
  }
  const grain = parts.grain === "trend" ? chooseGrain(range) : parts.grain;
  if (parts.grain === "trend" && grain !== undefined) {
    assumed.push(PER[grain]);
  }
  const query: QuestionQuery = {
    measures,
    dimensions,
    filters: parts.filters,
    from: toText(index, range.fromMs),
    to: toText(index, range.toMs),
    ...(grain === undefined ? {} : { grain }),
    ...(isRanked ? { order, ...(isSorted ? {} : { limit }) } : {}),
    ...(parts.compare === undefined ? {} : { compare: parts.compare }),
  };
  return { query, assumed, ...(parts.kept.length === 0 ? {} : { kept: parts.kept }) };
}

/** What to say about words that no rule understood; `undefined` when there are none. */
function judgeUnknown(index: VocabularyIndex, parts: QuestionParts): QuestionReading | undefined {
  const [first] = parts.unknown;
  if (first === undefined) {
    return;
  }
  if (parts.unknown.every(({ place }) => place === "comparison")) {
    return clarify(COMPARED_WITH);
  }
  const isAboutData = parts.measures.length > 0 || parts.filters.length > 0;
  const value = parts.unknown.find(({ place }) => place === "value");
  const isOnlyValues = parts.unknown.every(({ place }) => place === "value");
  return isAboutData && parts.measures.length > 0 && value !== undefined && isOnlyValues
    ? clarify(listNearest(index, value.word))
    : REFUSED;
}

/** A reading offered: values as they are, measures in words. */
function toChoice({ vocabulary, names }: VocabularyIndex, name: string): string {
  return names.has(name.toLowerCase()) ? name : nameMeasure(vocabulary, name);
}

function isEmpty(parts: QuestionParts): boolean {
  const isRankedList = parts.ranking !== undefined && parts.dimensions.length > 0;
  const isBreakdown =
    parts.dimensions.length > 0 && parts.range !== undefined && ASKS_EACH.test(parts.text);
  return parts.measures.length === 0 && parts.filters.length === 0 && !isRankedList && !isBreakdown;
}

function judge(
  index: VocabularyIndex,
  parts: QuestionParts,
  clock: QuestionClock,
): QuestionReading {
  const { intent } = parts;
  if (index.vocabulary.actor === "tenant" && intent !== "advice" && isForOperators(parts)) {
    return REFUSED;
  }
  if (parts.isAction && intent !== "advice" && intent !== "explain" && intent !== "forecast") {
    return REFUSED;
  }
  if (DEFINES.test(parts.text)) {
    return REFUSED;
  }
  if (parts.unknown.some(({ place }) => place === "conflict")) {
    return REFUSED;
  }
  const [ambiguous] = parts.ambiguous;
  if (ambiguous !== undefined) {
    return clarify(ambiguous.map((name) => toChoice(index, name)));
  }
  if (intent !== undefined && intent !== "explain" && intent !== "forecast") {
    return intent === "quota" && CREDIT.test(parts.text)
      ? { kind: intent, about: "credit", assumed: [] }
      : { kind: intent, assumed: [] };
  }
  const unknown = judgeUnknown(index, parts);
  if (unknown !== undefined) {
    return unknown;
  }
  if (isEmpty(parts) && !(intent === "explain" && parts.range !== undefined)) {
    return VAGUE.test(parts.text) ? clarify(VAGUE_CHOICES) : REFUSED;
  }
  const isRankedByNothing = parts.ranking !== undefined && parts.dimensions.length === 0;
  if (isRankedByNothing && parts.ranking?.isSort === false) {
    return clarify(RANKED_BY);
  }
  const isVague =
    parts.measures.length === 0 &&
    !parts.filters.some(({ field }) => /^status|^method/.test(field));
  if (
    isVague &&
    intent === undefined &&
    parts.dimensions.length === 0 &&
    findMeter(index, [...parts.filters, ...parts.dimensions]) === undefined
  ) {
    const of = String(parts.filters[0]?.value ?? "");
    return clarify([
      said(`requests of ${of}`),
      said(`errors of ${of}`),
      said(`latency of ${of}`),
      said(`spend of ${of}`),
    ]);
  }
  return { kind: intent ?? "query", ...toQuery(index, parts, clock) };
}

/** True for one of the readings that a question before was asked back with: it is about what that asked. */
function isChoice(
  index: VocabularyIndex,
  before: QuestionParts,
  { text, clock }: { text: string; clock: Omit<QuestionClock, "isFuture" | "isSeries"> },
): boolean {
  const isFuture = before.intent === "forecast";
  const { kind, choices = [] } = judge(index, before, { ...clock, isFuture, isSeries: false });
  return kind === "clarify" && choices.includes(text);
}

/**
 * Reads a question in plain English. The answer is pure data: every name in it comes from the vocabulary or from a closed list, so
 * there is no path from a text to a query language or to another tenant.
 */
export function readQuestion(index: VocabularyIndex, asked: AskedQuestion): QuestionReading {
  const { question, nowMs, after } = asked;
  if (question.length > QUESTION_LENGTH_MAX || isHostile(question)) {
    return REFUSED;
  }
  if (AMBIGUOUS_DATE.test(question)) {
    return clarify([said("day/month/year"), said("month/day/year")]);
  }
  if (isForeign(index, question)) {
    return REFUSED_AS_FOREIGN;
  }
  const { from, to } = index.vocabulary.billingPeriod;
  const clock = {
    nowMs: nowMs + index.offsetAt(nowMs),
    billingPeriod: { fromMs: toPeriodMs(index, from), toMs: toPeriodMs(index, to) },
  };
  const before = typeof after === "string" ? [after] : (after ?? []);
  const isSafe = before.every((text) => text.length <= QUESTION_LENGTH_MAX && !isHostile(text));
  let parts: QuestionParts | undefined;
  for (const text of isSafe ? [...before, question] : [question]) {
    const own = readParts(index, text, clock);
    if (parts === undefined) {
      parts = own;
    } else if (isChoice(index, parts, { text, clock })) {
      parts = { ...mergeParts(index, parts, own), kept: [] };
    } else {
      parts = isFollowUp(text, parts, own) ? mergeParts(index, parts, own) : own;
    }
  }
  if (parts === undefined) {
    return REFUSED;
  }
  return judge(index, parts, { ...clock, isFuture: parts.intent === "forecast", isSeries: false });
}
