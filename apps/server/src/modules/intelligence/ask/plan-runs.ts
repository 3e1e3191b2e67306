import type { EventFilter, MeterMeasure } from "@turnpike/contract/meter-measure";
import type { AskedQuery } from "@turnpike/contract/questions";
import {
  USAGE_DIMENSIONS,
  USAGE_MEASURES,
  type UsageDimension,
  type UsageMeasure,
  type UsageQuestion,
} from "@turnpike/contract/usage-query";
import { said } from "@turnpike/domain/text/said";
import { CannotAnswer } from "./cannot-answer.ts";
import type { NamedField, NamedVocabulary } from "./named-vocabulary.ts";

export type QueryFilter = AskedQuery["filters"][number];
export type Values = readonly (string | number)[];

/** One question of usage behind a question; several measures may need different ones. */
export type UsageRun = {
  readonly id: string;
  readonly measures: UsageMeasure[];
  readonly filters: UsageFilters;
};
export type UsageFilters = Partial<
  Pick<
    UsageQuestion,
    | "key"
    | "route"
    | "model"
    | "method"
    | "status"
    | "status_class"
    | "outcome"
    | "environment"
    | "tenant"
    | "plan"
  >
> & { event?: EventFilter[] };

/** Where the value of a measure comes from: one cell, or the quotient of two. */
export type MeasureSource = {
  readonly name: string;
  readonly parts: readonly { readonly run: string; readonly measure: UsageMeasure }[];
};

export type UsagePlan = {
  readonly dimensions: UsageDimension[];
  readonly runs: UsageRun[];
  readonly sources: MeasureSource[];
  /** Values that a dimension must not have; the usage query has no such filter. */
  readonly excluded: readonly {
    readonly field: UsageDimension;
    readonly values: readonly string[];
  }[];
  /** Comparisons of measures with numbers. */
  readonly thresholds: readonly QueryFilter[];
  readonly assumed: string[];
};

const STATUS_FIELDS: readonly string[] = ["status", "status_class"];
const CALL_MEASURES: ReadonlySet<string> = new Set(USAGE_MEASURES);
const MONEY_FIELDS = ["invoice_status", "region"];

const toList = (value: QueryFilter["value"]): Values => (Array.isArray(value) ? value : [value]);
const isMeter = (vocabulary: NamedVocabulary, name: string) => vocabulary.meters.has(name);

/**
 * The dimension of usage behind a name of the vocabulary. What meters of events record under the name of a dimension of calls, such
 * as a model, is meant where nothing but these meters is asked for.
 *
 * @throws {CannotAnswer} when there is none.
 */
function toDimension(
  vocabulary: NamedVocabulary,
  name: string,
  measures: readonly string[],
): UsageDimension {
  const own = [...USAGE_DIMENSIONS, "tenant", "plan"] as const;
  const named = own.find((dimension) => dimension === name);
  const { meters } = vocabulary.index.vocabulary;
  const isOfMeter = (measure: string) =>
    meters.some(({ slug, dimensions }) => slug === measure && dimensions.includes(name));
  if (named !== undefined && !(measures.length > 0 && measures.every(isOfMeter))) {
    return named;
  }
  if (!MONEY_FIELDS.includes(name) && meters.some(({ dimensions }) => dimensions.includes(name))) {
    return `event:${name}`;
  }
  throw new CannotAnswer("Usage is not recorded by {0}.", name.replaceAll("_", " "));
}

function toIds(vocabulary: NamedVocabulary, field: NamedField, values: Values): string[] {
  return values.flatMap((value) => {
    const ids = vocabulary.ids[field].get(String(value));
    if (ids === undefined) {
      throw new CannotAnswer("There is no {0} called {1}.", field, String(value));
    }
    return ids;
  });
}

const isNamedField = (field: string): field is NamedField =>
  field === "key" || field === "tenant" || field === "plan";

/** The values of a filter as usage has them: ids instead of names. */
function toStored(vocabulary: NamedVocabulary, { field, value }: QueryFilter): string[] {
  const values = toList(value);
  return isNamedField(field) ? toIds(vocabulary, field, values) : values.map(String);
}

function withFilter(
  filters: UsageFilters,
  field: UsageDimension,
  values: readonly string[],
): UsageFilters {
  if (field.startsWith("event:")) {
    const name = field.slice("event:".length);
    const event = [...(filters.event ?? []), ...values.map((value) => ({ name, value }))];
    return { ...filters, event };
  }
  return { ...filters, [field]: field === "status" ? values.map(Number) : values };
}

function toFilters(
  vocabulary: NamedVocabulary,
  { filters, measures }: { filters: readonly QueryFilter[]; measures: readonly string[] },
): { included: UsageFilters; excluded: UsagePlan["excluded"] } {
  let included: UsageFilters = {};
  const excluded: { field: UsageDimension; values: string[] }[] = [];
  for (const filter of filters) {
    const field = toDimension(vocabulary, filter.field, measures);
    const values = toStored(vocabulary, filter);
    if (filter.op === "eq" || filter.op === "in") {
      included = withFilter(included, field, values);
    } else if (filter.op === "ne" || filter.op === "not_in") {
      excluded.push({ field, values });
    } else {
      throw new CannotAnswer("{0} is compared with names only.", filter.field);
    }
  }
  return { included, excluded };
}

/** Filters without those on the answer's status. */
function withoutStatus({ status: _, status_class: __, ...filters }: UsageFilters): UsageFilters {
  return filters;
}

/**
 * Plans the questions of usage that answer a question. `errors` are answers of 500 and above, as everywhere in the product; a
 * question that names statuses counts the calls with these.
 *
 * @throws {CannotAnswer} when usage cannot say it.
 */
export function planRuns(vocabulary: NamedVocabulary, query: AskedQuery): UsagePlan {
  const isThreshold = ({ field }: QueryFilter) =>
    CALL_MEASURES.has(field) || field === "rate_limited" || isMeter(vocabulary, field);
  const thresholds = query.filters.filter(isThreshold);
  const asked = [...new Set([...query.measures, ...thresholds.map(({ field }) => field)])];
  const { included, excluded } = toFilters(vocabulary, {
    filters: query.filters.filter((filter) => !isThreshold(filter)),
    measures: asked,
  });
  const namesStatus = query.filters.some(({ field }) => STATUS_FIELDS.includes(field));
  const assumed: string[] = [];
  const runs = new Map<string, UsageRun>();
  const place = (id: string, measure: UsageMeasure, filters: UsageFilters) => {
    const run = runs.get(id) ?? { id, measures: [], filters };
    if (!run.measures.includes(measure)) {
      run.measures.push(measure);
    }
    runs.set(id, run);
    return { run: id, measure };
  };
  const sources = asked.map((name): MeasureSource => {
    if (isMeter(vocabulary, name)) {
      const measure: MeterMeasure = `meter:${name}`;
      return { name, parts: [place(measure, measure, included)] };
    }
    if (name === "rate_limited") {
      const limited = { ...included, outcome: ["RATE_LIMITED" as const] };
      return { name, parts: [place("limited", "requests", limited)] };
    }
    if (name === "errors" && namesStatus) {
      assumed.push(said("errors: calls with that status"));
      return { name, parts: [place("calls", "requests", included)] };
    }
    if (name === "error_rate" && namesStatus) {
      assumed.push(said("error rate: the share of calls with that status"));
      return {
        name,
        parts: [
          place("calls", "requests", included),
          place("all", "requests", withoutStatus(included)),
        ],
      };
    }
    const measure = USAGE_MEASURES.find((one) => one === name);
    if (measure === undefined) {
      throw new CannotAnswer("{0} is not a measure of usage.", name.replaceAll("_", " "));
    }
    if (name === "errors" || name === "error_rate") {
      assumed.push(said("errors: answers of 500 and above"));
    }
    return { name, parts: [place("calls", measure, included)] };
  });
  return {
    dimensions: query.dimensions.map((name) => toDimension(vocabulary, name, asked)),
    runs: [...runs.values()],
    sources,
    excluded,
    thresholds,
    assumed: [...new Set(assumed)],
  };
}
