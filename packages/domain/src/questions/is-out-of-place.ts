import { hasModels, MODEL, type VocabularyIndex } from "./question-vocabulary.ts";

/** Measures that are not counted by call, so that a call's status or method cannot narrow them. */
export const NOT_OF_CALLS =
  /^(?:spend|revenue|mrr|tenants|active_tenants|new_tenants|keys_created|keys_revoked|invoices)$/;
const STATUS = /^status(?:_class)?$/;
const FAILURES = /^(?:errors|error_rate)$/;
/** Measures that choose the statuses of their calls themselves. */
const OF_OUTCOME = /^(?:errors|error_rate|denied|rate_limited)$/;
const OF_INVOICES = /^(?:spend|revenue|invoices)$/;

/**
 * True where a filter or a breakdown of the question before says nothing about what a follow-up measures, or contradicts it: calls
 * with status 404 and calls that were denied, a model and the number of calls. Never without measures.
 */
export function isOutOfPlace(
  { vocabulary }: VocabularyIndex,
  {
    field,
    measures,
    before,
  }: {
    field: string;
    measures: readonly string[];
    before: { readonly measures: readonly string[] };
  },
): boolean {
  const isEach = (pattern: RegExp) =>
    measures.length > 0 && measures.every((name) => pattern.test(name));
  if (STATUS.test(field)) {
    // “Server errors”, and then their share.
    const goesOn = before.measures.some((name) => FAILURES.test(name)) && isEach(FAILURES);
    return isEach(NOT_OF_CALLS) || (isEach(OF_OUTCOME) && !goesOn);
  }
  if (field === "method") {
    return isEach(NOT_OF_CALLS);
  }
  if (field === "invoice_status") {
    return measures.length > 0 && !measures.some((name) => OF_INVOICES.test(name));
  }
  if (field === MODEL && hasModels(vocabulary)) {
    return isEach(NOT_OF_CALLS) && !measures.includes("spend");
  }
  const meter = vocabulary.meters.find(({ dimensions }) => dimensions.includes(field));
  return meter !== undefined && measures.length > 0 && !measures.includes(meter.slug);
}
