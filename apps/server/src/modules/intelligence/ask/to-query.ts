import type { AskedQuery } from "@turnpike/contract/questions";
import type { QuestionQuery } from "@turnpike/domain/questions/question-reading";

/** The query of a reading, as the contract has it. */
export function toQuery(query: QuestionQuery): AskedQuery {
  const { measures, dimensions, filters, ...rest } = query;
  return {
    ...rest,
    measures: [...measures],
    dimensions: [...dimensions],
    filters: filters.map(({ field, op, value }) => ({
      field,
      op,
      value: typeof value === "string" || typeof value === "number" ? value : [...value],
    })),
  };
}
