import type { Answer, AnswerMeasure, AnswerRow, AskedQuery } from "@turnpike/contract/questions";
import type { QuestionFilter } from "@turnpike/domain/questions/question-reading";
import { said } from "@turnpike/domain/text/said";
import type { AnswerWords } from "./answer-words.ts";
import { describeRange, describeStep } from "./describe-range.ts";
import { countOf, formatCell, isCounted } from "./format-cell.ts";
import type { Cell } from "./join-runs.ts";
import { nameDimension, nameDimensions, nameMissing } from "./name-dimension.ts";

const NAMED_ROWS = 3;
/** Each begins with its space, which also tells it from the same words before a date. */
const PREFIXES: Readonly<Record<string, string>> = {
  key: said(" with the key {0}"),
  route: said(" on {0}"),
  method: said(" by {0}"),
  status: said(" with the status {0}"),
  status_class: said(" with the status {0}"),
  environment: said(" in the environment {0}"),
  tenant: said(" of {0}"),
  plan: said(" on the plan {0}"),
  invoice_status: said(" with the state {0}"),
};
const COMPARISONS: Readonly<Record<string, string>> = {
  gt: said("a {0} above {1}"),
  gte: said("a {0} of at least {1}"),
  lt: said("a {0} below {1}"),
  lte: said("a {0} of at most {1}"),
  eq: said("a {0} of {1}"),
};
const COUNT_COMPARISONS: Readonly<Record<string, string>> = {
  gt: said("more than {0}"),
  gte: said("at least {0}"),
  lt: said("fewer than {0}"),
  lte: said("at most {0}"),
};
/** What is measured, where a title alone would not say it in a sentence. */
const DATA: Readonly<Record<string, string>> = {
  bytes_in: said("data received"),
  bytes_out: said("data sent"),
};

/** “ on /v1/search”, “ not with the key ci”. */
function describeFilter({ field, op, value }: QuestionFilter, words: AnswerWords): string {
  const { say, list } = words;
  const names = list([value].flat().map(String), "or");
  const prefix = PREFIXES[field];
  const text =
    prefix === undefined
      ? say(said(" with the {0} {1}"), nameDimension(words, field), names)
      : say(prefix, names);
  return op === "ne" || op === "not_in" ? say(said(" not{0}"), text) : text;
}

/** “ on /v1/search”, “ not with the key ci”. */
export function describeFilters(
  { filters }: { filters: readonly QuestionFilter[] },
  measureNames: ReadonlySet<string>,
  words: AnswerWords,
): string {
  return filters
    .filter(({ field }) => !measureNames.has(field))
    .map((filter) => describeFilter(filter, words))
    .join("");
}

/** “ Still only with the status 404.”: what a follow-up has of the question before. Nothing for comparisons of measures. */
export function describeKept(filters: readonly QuestionFilter[], words: AnswerWords): string {
  const texts = filters
    .filter(({ op }) => !/^[gl]te?$/.test(op))
    .map((filter) => describeFilter(filter, words).trim());
  return texts.length === 0 ? "" : ` ${words.say("Still only {0}.", words.list(texts))}`;
}

function nameOf(row: AnswerRow, answer: Answer, words: AnswerWords): string {
  const names = answer.dimensions.map((dimension) => {
    const value = row.group[dimension] ?? "";
    return value === "" ? nameMissing(words, dimension) : (answer.names[value] ?? value);
  });
  return names.join(", ");
}

const shareOf = (part: Cell | undefined, whole: Cell | undefined, { percent }: AnswerWords) =>
  Number(whole ?? 0) > 0
    ? ` (${percent(Math.round((100 * Number(part ?? 0)) / Number(whole)))})`
    : "";

/** “; most: /v1/search 5,000 (41%), /health 20 and /v1/orders 3”. */
function describeGroups(
  answer: Answer,
  { query: { order, limit }, measure }: { query: AskedQuery; measure: AnswerMeasure },
  words: AnswerWords,
): string {
  const { say, list } = words;
  const shown = answer.rows.slice(
    0,
    limit === undefined ? NAMED_ROWS : Math.min(limit, 2 * NAMED_ROWS),
  );
  const texts = shown.map((row) => {
    const cell = row.values[measure.name];
    const share = isCounted(measure) ? shareOf(cell, answer.totals?.[measure.name], words) : "";
    return `${nameOf(row, answer, words)} ${formatCell(measure, cell, words)}${share}`;
  });
  if (answer.rows.length === 1 && order === undefined) {
    return say(said(", by {0}"), texts[0] ?? "");
  }
  const [most, fewest] = isCounted(measure)
    ? [said("; most: {0}"), said("; fewest: {0}")]
    : [said("; highest: {0}"), said("; lowest: {0}")];
  return say((order === "asc" ? fewest : most) ?? "", list(texts));
}

function describeSeries(
  answer: Answer,
  { measure, timeZone }: { measure: AnswerMeasure; timeZone: string },
  words: AnswerWords,
): string {
  const { grain } = answer;
  const best = answer.rows.reduce<AnswerRow | undefined>((highest, row) => {
    const value = row.values[measure.name] ?? null;
    const isHigher =
      value !== null &&
      Number(value) > Number(highest?.values[measure.name] ?? Number.NEGATIVE_INFINITY);
    return isHigher ? row : highest;
  }, undefined);
  if (
    best?.time === null ||
    best === undefined ||
    grain === null ||
    Number(best.values[measure.name]) === 0
  ) {
    return "";
  }
  const [dimension = "", ...more] = answer.dimensions;
  const { say } = words;
  const prefix = (more.length === 0 ? PREFIXES[dimension] : undefined) ?? said(" of {0}");
  const of = dimension === "" ? "" : say(prefix, nameOf(best, answer, words));
  const step = describeStep(words, { time: best.time, grain, timeZone });
  const highest = formatCell(measure, best.values[measure.name], words);
  return say(said("; the highest was {0}{1}, {2}"), highest, of, step);
}

/** When it was before, as part of two sentences: “the 11,000 of June”, “none in June”. */
export type Before = { readonly of: string; readonly during: string };

/** “ That is 12% more than the 11,000 of the period before.” */
export function describeChange(
  measure: AnswerMeasure,
  { now, before, when }: { now: Cell | undefined; before: Cell | undefined; when: Before },
  words: AnswerWords,
): string {
  const { say } = words;
  if (before === null || before === undefined || now === null || now === undefined) {
    return before === now || now === null
      ? ""
      : ` ${say("There was nothing to measure {0}.", when.during)}`;
  }
  const [value, past] = [Number(now), Number(before)];
  if (value === past) {
    return ` ${say("It was the same {0}.", when.during)}`;
  }
  if (past === 0) {
    return ` ${say("There was nothing {0}.", when.during)}`;
  }
  const isMore = value > past;
  const isAmount = measure.unit === "money" || measure.unit === "bytes";
  const sentence = isAmount
    ? isMore
      ? "That is {0} more than the {1} {2}."
      : "That is {0} less than the {1} {2}."
    : isCounted(measure)
      ? isMore
        ? "That is {0} more than the {1} {2}."
        : "That is {0} fewer than the {1} {2}."
      : isMore
        ? "That is {0} higher than the {1} {2}."
        : "That is {0} lower than the {1} {2}.";
  const share = formatCell({ ...measure, unit: "share" }, Math.abs(value - past) / past, words);
  return ` ${say(sentence, share, formatCell(measure, before, words), when.of)}`;
}

const BEFORE: Readonly<Record<string, Before>> = {
  previous_period: { of: said("of the period before"), during: said("in the period before") },
  previous_year: { of: said("of a year before"), during: said("a year before") },
};

const isOfSameUnit = (one: AnswerMeasure, other: AnswerMeasure) =>
  one.unit === "units" && other.unit === "units" && one.unitName === other.unitName;

type Place = { where: string; when: string };

function describeCounts(
  { measures }: Answer,
  totals: Readonly<Record<string, Cell>>,
  { where, when, words }: Place & { words: AnswerWords },
): string {
  const { say, list, inSentence } = words;
  const counts = measures.map((measure) =>
    // What the meters are called says which of two kinds of tokens is meant.
    measures.some((other) => other !== measure && isOfSameUnit(other, measure))
      ? `${formatCell(measure, totals[measure.name], words)} ${inSentence(measure.title)}`
      : countOf(measure, totals[measure.name], words),
  );
  const isOne = measures.length === 1 && Number(totals[measures[0]?.name ?? ""] ?? 0) === 1;
  const sentence = isOne ? said("There was {0}{1} {2}") : said("There were {0}{1} {2}");
  return say(sentence, list(counts), where, when);
}

function describeTotals(answer: Answer, { where, when }: Place, words: AnswerWords): string {
  const [first, ...more] = answer.measures;
  const { totals } = answer;
  const { say, list, inSentence } = words;
  if (first === undefined || totals === null) {
    return "";
  }
  if (answer.measures.every(isCounted)) {
    return describeCounts(answer, totals, { where, when, words });
  }
  const named = answer.measures.map((measure) => {
    const cell = totals[measure.name] ?? null;
    const data = measure.unit === "bytes" ? DATA[measure.name] : undefined;
    return {
      name: data === undefined ? inSentence(measure.title) : say(data),
      isKnown: cell !== null,
      value: cell === null ? say(said("unknown")) : formatCell(measure, cell, words),
    };
  });
  if (named.every(({ isKnown }) => !isKnown)) {
    const names = list(
      named.map(({ name }, at) => say(at === 0 ? said("The {0}") : said("the {0}"), name)),
    );
    const sentence =
      more.length === 0
        ? said("{0}{1} {2} is unknown: there were no calls to measure")
        : said("{0}{1} {2} are unknown: there were no calls to measure");
    return say(sentence, names, where, when);
  }
  const [only] = named;
  if (more.length === 0) {
    return say(said("The {0}{1} {2} was {3}"), only?.name ?? "", where, when, only?.value ?? "");
  }
  const each = named.map(({ name, value }, at) =>
    say(at === 0 ? said("The {0} was {1}") : said("the {0} was {1}"), name, value),
  );
  return `${list(each)}${where} ${when}`;
}

function describeThresholds(
  answer: Answer,
  thresholds: AskedQuery["filters"],
  words: AnswerWords,
): string {
  const [measure] = answer.measures;
  const { say, list, inSentence } = words;
  const limits = thresholds.map(({ field, op, value }) => {
    const of = answer.measures.find(({ name }) => name === field) ?? measure;
    const limit = Number([value].flat()[0]);
    if (of === undefined) {
      return "";
    }
    if (!isCounted(of)) {
      const sentence = COMPARISONS[op] ?? said("a {0} of {1}");
      return say(sentence, inSentence(of.title), formatCell(of, limit, words));
    }
    const count = countOf(of, limit, words);
    const sentence = COUNT_COMPARISONS[op];
    return sentence === undefined ? count : say(sentence, count);
  });
  return list(limits);
}

/** “3 routes have more than 500 requests in June 2026: …” */
function describeFitting(
  answer: Answer,
  { thresholds, where, when }: Place & { thresholds: AskedQuery["filters"] },
  words: AnswerWords,
): string {
  const { say, list, number } = words;
  const [measure] = answer.measures;
  const limits = describeThresholds(answer, thresholds, words);
  const [dimension = "", ...others] = answer.dimensions;
  const all = list(answer.dimensions.map((name) => nameDimension(words, name)));
  const count = answer.rows.length;
  const noun =
    others.length === 0 ? nameDimension(words, dimension) : say(said("combination of {0}"), all);
  const nouns =
    others.length === 0 ? nameDimensions(words, dimension) : say(said("combinations of {0}"), all);
  if (count === 0) {
    return say("No {0}{1} has {2} {3}.", noun, where, limits, when);
  }
  const shown = answer.rows.slice(0, 2 * NAMED_ROWS).map((row) => {
    const cell =
      measure === undefined ? "" : ` (${formatCell(measure, row.values[measure.name], words)})`;
    return `${nameOf(row, answer, words)}${cell}`;
  });
  const more = count - shown.length;
  const texts = list(more > 0 ? [...shown, say(said("{0} more"), number(more))] : shown);
  return count === 1
    ? say("{0} {1}{2} has {3} {4}: {5}.", number(count), noun, where, limits, when, texts)
    : say("{0} {1}{2} have {3} {4}: {5}.", number(count), nouns, where, limits, when, texts);
}

/** Says the answer to a query in one or two sentences, with the figures of the answer. */
export function writeSentence(
  answer: Answer,
  query: AskedQuery,
  { timeZone, nowMs, words }: { timeZone: string; nowMs: number; words: AnswerWords },
): string {
  const { say } = words;
  const [measure] = answer.measures;
  if (measure === undefined) {
    return "";
  }
  const measureNames = new Set([...query.measures, ...answer.measures.map(({ name }) => name)]);
  const thresholds = query.filters.filter(
    ({ field }) => measureNames.has(field) || COMPARISONS[`${field}`] !== undefined,
  );
  const where = describeFilters(
    query,
    new Set([...measureNames, ...thresholds.map(({ field }) => field)]),
    words,
  );
  const range = { fromMs: Date.parse(answer.from), toMs: Date.parse(answer.to) };
  const { during } = describeRange(words, range, timeZone);
  const isRunning = range.toMs > nowMs && range.fromMs < nowMs;
  const when = isRunning ? say(said("{0} so far"), during) : during;
  const isGrouped = answer.dimensions.length > 0;
  if (thresholds.length > 0 && isGrouped) {
    return describeFitting(answer, { thresholds, where, when }, words);
  }
  const totals = describeTotals(answer, { where, when }, words);
  const head = totals === "" ? `${say(measure.title)}${where} ${when}` : totals;
  const isEmpty = answer.rows.length === 0;
  const detail = isEmpty
    ? ""
    : answer.grain !== null
      ? describeSeries(answer, { measure, timeZone }, words)
      : isGrouped
        ? describeGroups(answer, { query, measure }, words)
        : "";
  const before = query.compare === undefined ? undefined : BEFORE[query.compare];
  const change =
    before === undefined || answer.totalsBefore === null || answer.totals === null
      ? ""
      : describeChange(
          measure,
          {
            now: answer.totals[measure.name],
            before: answer.totalsBefore[measure.name],
            when: { of: say(before.of), during: say(before.during) },
          },
          words,
        );
  return `${head}${detail}.${change}`;
}
