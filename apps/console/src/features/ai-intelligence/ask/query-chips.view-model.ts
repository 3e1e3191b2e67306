import { t } from "@lingui/core/macro";
import { LANGUAGE } from "@turnpike/ui/language";
import { toDimensionNoun } from "#components/questions/dimension-label.view-model.ts";
import type { QuestionChoices, QuestionQuery } from "#components/questions/questions.queries.ts";

type Filter = QuestionQuery["filters"][number];

/** The choice of nothing. */
export const NONE = "none";

const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const OPERATORS: Readonly<Record<Filter["op"], string>> = {
  eq: t`is`,
  ne: t`is not`,
  in: t`is`,
  not_in: t`is not`,
  gt: t`above`,
  gte: t`at least`,
  lt: t`below`,
  lte: t`at most`,
};

/** “route is /v1/search or /v1/orders”. */
export function describeFilter({ field, op, value }: Filter): string {
  const values = [value]
    .flat()
    .map(String)
    .reduce((one, other) => t`${one} or ${other}`);
  return `${toDimensionNoun(field)} ${OPERATORS[op]} ${values}`;
}

/** The day that an end of a range is on. */
function toDay(text: string, timeZone: string): string {
  return DATE.test(text)
    ? text
    : new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(Date.parse(text));
}

export type Dates = { first: string; last: string };

/** First and last day of a range, both within it. */
export function toDates({ from, to }: Pick<QuestionQuery, "from" | "to">, timeZone: string): Dates {
  const last = DATE.test(to)
    ? new Date(Date.parse(to) - DAY_MS).toISOString().slice(0, 10)
    : toDay(new Date(Date.parse(to) - 1).toISOString(), timeZone);
  return { first: toDay(from, timeZone), last };
}

/** A query over whole days; `undefined` for days that are none or in the wrong order. */
export function withDates(query: QuestionQuery, { first, last }: Dates): QuestionQuery | undefined {
  const isRange = DATE.test(first) && DATE.test(last) && first <= last;
  const to = isRange ? new Date(Date.parse(last) + DAY_MS).toISOString().slice(0, 10) : "";
  return isRange ? { ...query, from: first, to } : undefined;
}

/** “Jul 6 – 12, 2026”, with times where a range does not begin and end at midnight. */
export function describeDates(query: Pick<QuestionQuery, "from" | "to">, timeZone: string): string {
  const { from, to } = query;
  if (DATE.test(from) && DATE.test(to)) {
    const day = new Intl.DateTimeFormat(LANGUAGE, { timeZone: "UTC", dateStyle: "medium" });
    return from === "1970-01-01"
      ? t`Until ${day.format(Date.parse(to) - 1)}`
      : day.formatRange(Date.parse(from), Date.parse(to) - 1);
  }
  const time = new Intl.DateTimeFormat(LANGUAGE, {
    timeZone,
    dateStyle: "medium",
    timeStyle: "short",
    hourCycle: "h23",
  });
  const toMs = (text: string) => Date.parse(DATE.test(text) ? `${text}T00:00Z` : text);
  return time.formatRange(toMs(from), toMs(to));
}

/** Puts a dimension at a place, or takes it away. */
export function withDimension(query: QuestionQuery, at: number, value: string): QuestionQuery {
  const dimensions = query.dimensions.filter((_, index) => index !== at);
  if (value !== NONE) {
    dimensions.splice(at, 0, value);
  }
  const { order: _, limit: __, ...rest } = query;
  return dimensions.length === 0
    ? { ...rest, dimensions }
    : { ...query, dimensions: [...new Set(dimensions)] };
}

/** Filters to choose from: each is a dimension and a value. */
export function listFilterChoices(
  choices: QuestionChoices | undefined,
): { value: string; label: string }[] {
  return Object.entries(choices?.values ?? {}).flatMap(([field, values]) =>
    values.map((value) => ({
      value: JSON.stringify([field, value]),
      label: `${toDimensionNoun(field)}: ${value}`,
    })),
  );
}

/** Adds a chosen filter; a second value of a field is an alternative to the first. */
export function withFilter(query: QuestionQuery, chosen: string): QuestionQuery {
  const [field, value] = JSON.parse(chosen) as [string, string];
  const same = query.filters.find(
    (one) => one.field === field && (one.op === "eq" || one.op === "in"),
  );
  const others = query.filters.filter((one) => one !== same);
  const values = [...new Set([...(same === undefined ? [] : [same.value].flat()), value])];
  const filter: Filter =
    values.length === 1 ? { field, op: "eq", value } : { field, op: "in", value: values };
  return { ...query, filters: [...others, filter] };
}

const RANKS = ["desc 3", "desc 5", "desc 10", "asc 3", "asc 5", "asc 10"];
const toRankLabel = (rank: string) => rank.replace("desc", t`Top`).replace("asc", t`Bottom`);

export const toRank = ({ order, limit }: QuestionQuery): string =>
  order === undefined || limit === undefined ? NONE : `${order} ${String(limit)}`;

export function listRankChoices(query: QuestionQuery): { value: string; label: string }[] {
  const ranks = [...new Set([...RANKS, toRank(query)])].filter((rank) => rank !== NONE);
  return [
    { value: NONE, label: t`All of them` },
    ...ranks.map((rank) => ({ value: rank, label: toRankLabel(rank) })),
  ];
}

export function withRank(query: QuestionQuery, rank: string): QuestionQuery {
  const { order: _, limit: __, ...rest } = query;
  const [order, limit] = rank.split(" ");
  return rank === NONE
    ? rest
    : { ...rest, order: order === "asc" ? "asc" : "desc", limit: Number(limit) };
}
