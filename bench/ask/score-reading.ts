import type { QuestionFilter, QuestionReading } from "@turnpike/domain/questions/question-reading";
import type { ExpectedReading } from "./parse-questions.ts";

/** Asking back or refusing is no wrong answer; a query that was not asked for is. */
export type Score = "exact" | "cautious" | "wrong";

const sorted = (values: readonly unknown[]) => values.map(String).sort().join("|");
const toFilterText = ({ field, op, value }: QuestionFilter) =>
  `${field} ${op} ${Array.isArray(value) ? sorted(value) : String(value)}`;

function isEqual(expected: ExpectedReading, { kind, query }: QuestionReading): boolean {
  if (kind !== expected.kind || expected.measures === undefined || query === undefined) {
    return kind === expected.kind && (expected.measures === undefined) === (query === undefined);
  }
  return (
    sorted(query.measures) === sorted(expected.measures) &&
    sorted(query.dimensions) === sorted(expected.dimensions ?? []) &&
    sorted(query.filters.map(toFilterText)) ===
      sorted((expected.filters ?? []).map(toFilterText)) &&
    query.from === expected.from &&
    (expected.to ?? []).includes(query.to) &&
    query.grain === expected.grain &&
    query.order === expected.order &&
    query.limit === expected.limit &&
    query.compare === expected.compare
  );
}

export function scoreReading(expected: ExpectedReading, reading: QuestionReading): Score {
  const isCautious = reading.kind === "clarify" || reading.kind === "refuse";
  if (isEqual(expected, reading) || (isCautious && expected.kind === "cautious")) {
    return "exact";
  }
  return isCautious ? "cautious" : "wrong";
}
