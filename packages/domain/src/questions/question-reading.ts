import type { Grain } from "../time/zoned-buckets.ts";

/** What a question asks for. Only the first three carry a query. */
export type QuestionKind =
  | "query"
  | "explain"
  | "forecast"
  | "quota"
  | "invoice"
  | "advice"
  | "risk"
  | "clarify"
  | "refuse";

export type FilterOperator = "eq" | "ne" | "in" | "not_in" | "gt" | "gte" | "lt" | "lte";

/** A dimension or measure compared with values, all of which come from the vocabulary, or with a number. */
export type QuestionFilter = {
  readonly field: string;
  readonly op: FilterOperator;
  readonly value: string | number | readonly (string | number)[];
};

/** `from` and `to` are ISO dates in the tenant's time zone, or instants; half-open. */
export type QuestionQuery = {
  readonly measures: readonly string[];
  readonly dimensions: readonly string[];
  readonly filters: readonly QuestionFilter[];
  readonly from: string;
  readonly to: string;
  readonly grain?: Grain | undefined;
  readonly order?: "asc" | "desc" | undefined;
  readonly limit?: number | undefined;
  readonly compare?: "previous_period" | "previous_year" | undefined;
};

/** What the grammar understood. */
export type QuestionReading = {
  readonly kind: QuestionKind;
  readonly query?: QuestionQuery;
  /** For `quota`: credit rather than all that can run out. */
  readonly about?: "credit";
  /** One sentence for every choice that the question left open. */
  readonly assumed: readonly string[];
  /** Filters of the query that the question itself does not name: they are those of the question before. */
  readonly kept?: readonly QuestionFilter[];
  /** For `refuse`: the question is in another language than English. */
  readonly isForeign?: boolean;
  /** For `clarify`: the readings offered. For `refuse`: questions that can be answered. */
  readonly choices?: readonly string[];
};
