import type { Answer, AnswerMeasure, AnswerRow, AskedQuery } from "@turnpike/contract/questions";
import type { QuestionFilter } from "@turnpike/domain/questions/question-reading";
import { toPlural } from "@turnpike/domain/text/to-plural";
import { describeRange, describeStep } from "./describe-range.ts";
import { countOf, formatCell, isCounted } from "./format-cell.ts";
import type { Cell } from "./join-runs.ts";

const NAMED_ROWS = 3;
const PREFIXES: Readonly<Record<string, string>> = {
  key: "with the key",
  route: "on",
  method: "by",
  status: "with the status",
  status_class: "with the status",
  environment: "in the environment",
  tenant: "of",
  plan: "on the plan",
  invoice_status: "with the state",
};
const COMPARISONS: Readonly<Record<string, string>> = {
  gt: "above",
  gte: "of at least",
  lt: "below",
  lte: "of at most",
  eq: "of",
};

export const listOf = (texts: readonly string[], word = "and"): string =>
  texts.length < 2
    ? (texts[0] ?? "")
    : `${texts.slice(0, -1).join(", ")} ${word} ${texts.at(-1) ?? ""}`;

const COUNT_COMPARISONS: Readonly<Record<string, string>> = {
  gt: "more than ",
  gte: "at least ",
  lt: "fewer than ",
  lte: "at most ",
};

/** “on /v1/search”, “not with the key ci”. */
export function describeFilters(
  { filters }: { filters: readonly QuestionFilter[] },
  measureNames: ReadonlySet<string>,
): string {
  return filters
    .filter(({ field }) => !measureNames.has(field))
    .map(({ field, op, value }) => {
      const names = listOf([value].flat().map(String), "or");
      const text = `${PREFIXES[field] ?? `with the ${field.replaceAll("_", " ")}`} ${names}`;
      return op === "ne" || op === "not_in" ? ` not ${text}` : ` ${text}`;
    })
    .join("");
}

/** “ Still only with the status 404.”: what a follow-up has of the question before. Nothing for comparisons of measures. */
export function describeKept(filters: readonly QuestionFilter[]): string {
  const texts = filters
    .filter(({ op }) => !/^[gl]te?$/.test(op))
    .map((filter) => describeFilters({ filters: [filter] }, new Set()).trim());
  return texts.length === 0 ? "" : ` Still only ${listOf(texts)}.`;
}

function nameOf(row: AnswerRow, answer: Answer): string {
  const names = answer.dimensions.map((dimension) => {
    const value = row.group[dimension] ?? "";
    return value === "" ? `no ${dimension.replaceAll("_", " ")}` : (answer.names[value] ?? value);
  });
  return names.join(", ");
}

const shareOf = (part: Cell | undefined, whole: Cell | undefined) =>
  Number(whole ?? 0) > 0
    ? ` (${String(Math.round((100 * Number(part ?? 0)) / Number(whole)))}%)`
    : "";

/** “; most: /v1/search 5,000 (41%), /health 20 and /v1/orders 3”. */
function describeGroups(
  answer: Answer,
  { order, limit }: AskedQuery,
  measure: AnswerMeasure,
): string {
  const shown = answer.rows.slice(
    0,
    limit === undefined ? NAMED_ROWS : Math.min(limit, 2 * NAMED_ROWS),
  );
  const texts = shown.map((row) => {
    const cell = row.values[measure.name];
    const share = isCounted(measure) ? shareOf(cell, answer.totals?.[measure.name]) : "";
    return `${nameOf(row, answer)} ${formatCell(measure, cell)}${share}`;
  });
  const isAscending = order === "asc";
  const word = isCounted(measure)
    ? isAscending
      ? "fewest"
      : "most"
    : isAscending
      ? "lowest"
      : "highest";
  return answer.rows.length === 1 && order === undefined
    ? `, by ${texts[0] ?? ""}`
    : `; ${word}: ${listOf(texts)}`;
}

function describeSeries(answer: Answer, measure: AnswerMeasure, timeZone: string): string {
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
  const before = more.length === 0 ? (PREFIXES[dimension] ?? "of") : "of";
  const of = dimension === "" ? "" : ` ${before} ${nameOf(best, answer)}`;
  return `; the highest was ${formatCell(measure, best.values[measure.name])}${of}, ${grain === "week" ? "in" : "on"} ${describeStep(best.time, grain, timeZone)}`;
}

/** When it was before, as part of two sentences: “the 11,000 of June”, “none in June”. */
export type Before = { readonly of: string; readonly during: string };

/** “ That is 12% more than the 11,000 of the period before.” */
export function describeChange(
  measure: AnswerMeasure,
  now: Cell | undefined,
  before: Cell | undefined,
  when: Before,
): string {
  if (before === null || before === undefined || now === null || now === undefined) {
    return before === now || now === null ? "" : ` There was nothing to measure ${when.during}.`;
  }
  const [value, past] = [Number(now), Number(before)];
  if (value === past) {
    return ` It was the same ${when.during}.`;
  }
  if (past === 0) {
    return ` There was nothing ${when.during}.`;
  }
  const words = isCounted(measure) ? ["more", "fewer"] : ["higher", "lower"];
  const [up, down] =
    measure.unit === "money" || measure.unit === "bytes" ? ["more", "less"] : words;
  const percent = formatCell({ ...measure, unit: "share" }, Math.abs(value - past) / past);
  return ` That is ${percent} ${(value > past ? up : down) ?? ""} than the ${formatCell(measure, before)} ${when.of}.`;
}

const BEFORE: Readonly<Record<string, Before>> = {
  previous_period: { of: "of the period before", during: "in the period before" },
  previous_year: { of: "of a year before", during: "a year before" },
};

const isOfSameUnit = (one: AnswerMeasure, other: AnswerMeasure) =>
  one.unit === "units" && other.unit === "units" && one.unitName === other.unitName;

function describeTotals(answer: Answer, where: string, when: string): string {
  const [first, ...more] = answer.measures;
  const { totals } = answer;
  if (first === undefined || totals === null) {
    return "";
  }
  if (answer.measures.every(isCounted)) {
    const counts = answer.measures.map((measure) =>
      // What the meters are called says which of two kinds of tokens is meant.
      answer.measures.some((other) => other !== measure && isOfSameUnit(other, measure))
        ? `${formatCell(measure, totals[measure.name])} ${measure.title.toLowerCase()}`
        : countOf(measure, totals[measure.name]),
    );
    const isOne = more.length === 0 && Number(totals[first.name] ?? 0) === 1;
    return `There ${isOne ? "was" : "were"} ${listOf(counts)}${where} ${when}`;
  }
  const named = answer.measures.map((measure, at) => {
    const title = /^[a-z]\d/.test(measure.title) ? measure.title : measure.title.toLowerCase();
    const name = measure.unit === "bytes" ? `data ${title}` : title;
    const cell = totals[measure.name];
    return {
      text: `${at === 0 ? "The " : "the "}${name}`,
      isKnown: cell !== null,
      value: cell === null ? "unknown" : formatCell(measure, cell),
    };
  });
  const [only] = named;
  if (named.every(({ isKnown }) => !isKnown)) {
    const names = listOf(named.map(({ text }) => text));
    return `${names}${where} ${when} ${more.length === 0 ? "is" : "are"} unknown: there were no calls to measure`;
  }
  return more.length === 0
    ? `${only?.text ?? ""}${where} ${when} was ${only?.value ?? ""}`
    : `${listOf(named.map(({ text, value }) => `${text} was ${value}`))}${where} ${when}`;
}

/** “3 routes have more than 500 requests in June 2026: …” */
function describeFitting(
  answer: Answer,
  { thresholds, where, when }: { thresholds: AskedQuery["filters"]; where: string; when: string },
): string {
  const [measure] = answer.measures;
  const limits = thresholds.map(({ field, op, value }) => {
    const of = answer.measures.find(({ name }) => name === field) ?? measure;
    const limit = Number([value].flat()[0]);
    if (of === undefined) {
      return "";
    }
    return isCounted(of)
      ? `${COUNT_COMPARISONS[op] ?? ""}${countOf(of, limit)}`
      : `a ${of.title.toLowerCase()} ${COMPARISONS[op] ?? "of"} ${formatCell(of, limit)}`;
  });
  const names = answer.dimensions.map((name) => name.replaceAll("_", " "));
  const count = answer.rows.length;
  const noun = names.length === 1 ? (names[0] ?? "") : `combination of ${listOf(names)}`;
  const nouns = names.length === 1 ? toPlural(noun) : `combinations of ${listOf(names)}`;
  if (count === 0) {
    return `No ${noun}${where} has ${listOf(limits)} ${when}.`;
  }
  const shown = answer.rows.slice(0, 2 * NAMED_ROWS).map((row) => {
    const cell = measure === undefined ? "" : ` (${formatCell(measure, row.values[measure.name])})`;
    return `${nameOf(row, answer)}${cell}`;
  });
  const more = count - shown.length;
  const all = more > 0 ? [...shown, `${String(more)} more`] : shown;
  return `${String(count)} ${count === 1 ? `${noun}${where} has` : `${nouns}${where} have`} ${listOf(limits)} ${when}: ${listOf(all)}.`;
}

/** Says the answer to a query in one or two sentences, with the figures of the answer. */
export function writeSentence(
  answer: Answer,
  query: AskedQuery,
  { timeZone, nowMs }: { timeZone: string; nowMs: number },
): string {
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
  );
  const range = { fromMs: Date.parse(answer.from), toMs: Date.parse(answer.to) };
  const soFar = range.toMs > nowMs && range.fromMs < nowMs ? " so far" : "";
  const when = `${describeRange(range, timeZone)}${soFar}`;
  const isGrouped = answer.dimensions.length > 0;
  if (thresholds.length > 0 && isGrouped) {
    return describeFitting(answer, { thresholds, where, when });
  }
  const totals = describeTotals(answer, where, when);
  const head = totals === "" ? `${measure.title}${where} ${when}` : totals;
  const isEmpty = answer.rows.length === 0;
  const detail = isEmpty
    ? ""
    : answer.grain !== null
      ? describeSeries(answer, measure, timeZone)
      : isGrouped
        ? describeGroups(answer, query, measure)
        : "";
  const change =
    query.compare === undefined || answer.totalsBefore === null || answer.totals === null
      ? ""
      : describeChange(
          measure,
          answer.totals[measure.name],
          answer.totalsBefore[measure.name],
          BEFORE[query.compare] ?? { of: "before", during: "before" },
        );
  return `${head}${detail}.${change}`;
}
