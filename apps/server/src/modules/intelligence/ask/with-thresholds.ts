import type { AnswerRow, AskedQuery } from "@turnpike/contract/questions";
import type { Cell } from "./join-runs.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";
import type { QueryFilter, UsagePlan } from "./plan-runs.ts";

function holds(cell: Cell | undefined, { op, value }: QueryFilter): boolean {
  const wanted = Number(Array.isArray(value) ? value[0] : value);
  if (cell === null || cell === undefined) {
    return false;
  }
  const found = Number(cell);
  switch (op) {
    case "gt":
      return found > wanted;
    case "gte":
      return found >= wanted;
    case "lt":
      return found < wanted;
    case "lte":
      return found <= wanted;
    case "ne":
    case "not_in":
      return found !== wanted;
    default:
      return found === wanted;
  }
}

/** True for a comparison that holds for nothing at all: “keys without a call” have no rows of usage. */
export function includesZero(threshold: QueryFilter): boolean {
  return !/^(?:latency|error_rate)/.test(threshold.field) && holds(0, threshold);
}

function listKnown(vocabulary: NamedVocabulary, name: string): readonly string[] | undefined {
  const { routes, meterValues } = vocabulary.index.vocabulary;
  if (name === "key" || name === "tenant") {
    return vocabulary.isCut ? undefined : [...vocabulary.ids[name].values()].flat();
  }
  return name === "route" ? routes : meterValues[name];
}

/** Adds a row of zeros for each value that is known and has no usage in the range. */
export function knownGroups(
  vocabulary: NamedVocabulary,
  { query, plan, rows }: { query: AskedQuery; plan: UsagePlan; rows: readonly AnswerRow[] },
): AnswerRow[] {
  const [name, ...others] = query.dimensions;
  const known = name === undefined || others.length > 0 ? undefined : listKnown(vocabulary, name);
  if (name === undefined || known === undefined) {
    return [...rows];
  }
  const included = plan.runs[0]?.filters[name as "key" | "route" | "tenant"];
  const excluded = plan.excluded
    .filter(({ field }) => field === name)
    .flatMap(({ values }) => values);
  const present = new Set(rows.map(({ group }) => group[name]));
  const isCompared = query.compare !== undefined;
  const zeros = Object.fromEntries(
    plan.sources.map((source) => [
      source.name,
      /^(?:latency|error_rate)/.test(source.name) ? null : 0,
    ]),
  );
  const missing = known.filter(
    (value) =>
      !present.has(value) &&
      !excluded.includes(value) &&
      (included === undefined || included.some((one) => one === value)),
  );
  return [
    ...rows,
    ...missing.map((value) => ({
      time: null,
      group: { [name]: value },
      values: zeros,
      before: isCompared ? zeros : null,
    })),
  ];
}

/** Keeps the rows for which all comparisons hold, in the order that was asked for: by time, or by the first measure. */
export function keepRows(
  rows: readonly AnswerRow[],
  { query, thresholds }: { query: AskedQuery; thresholds: readonly QueryFilter[] },
): AnswerRow[] {
  const [first = ""] = query.measures;
  const direction = query.order === "asc" ? 1 : -1;
  const of = ({ values }: AnswerRow) => Number(values[first] ?? 0);
  const isEmpty = ({ values }: AnswerRow) => (values[first] ?? null) === null;
  return rows
    .filter(({ values }) =>
      thresholds.every((threshold) => holds(values[threshold.field], threshold)),
    )
    .toSorted((one, other) => {
      const byTime = (one.time ?? "").localeCompare(other.time ?? "");
      if (byTime !== 0) {
        return byTime;
      }
      // What has no value comes last.
      if (isEmpty(one) || isEmpty(other)) {
        return Number(isEmpty(one)) - Number(isEmpty(other));
      }
      return direction * (of(one) - of(other));
    });
}
