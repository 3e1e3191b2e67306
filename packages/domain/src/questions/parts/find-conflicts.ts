import type { FoundMeasures } from "../find-measures.ts";
import type { FoundThreshold } from "../find-threshold.ts";
import type { UnknownWord } from "../list-unaccounted.ts";
import type { QuestionFilter } from "../question-reading.ts";
import { findThresholdMeasure } from "./choose-measures.ts";
import { isAcrossFields, type MarkedValues } from "./find-mentions.ts";

const conflict = (word: string): UnknownWord => ({ word, place: "conflict" });

/** Words that would have changed what the rest was read as, and that no answer heeds. */
export function findConflicts({
  text,
  marked,
  bounds,
  isOnPeak,
}: {
  text: string;
  marked: MarkedValues;
  bounds: readonly FoundThreshold[] | undefined;
  isOnPeak: boolean;
}): UnknownWord[] {
  const found: UnknownWord[] = [];
  const [low, high] = bounds ?? [];
  if (low !== undefined && high !== undefined && low.value > high.value) {
    found.push(conflict("between"));
  }
  const [, ofTenants = ""] = /(#v\d+) #dtenant/.exec(text) ?? [];
  if (marked.get(ofTenants)?.field === "region") {
    // “EU customers” are where they are; calls are known by where they arrive.
    found.push(conflict("region"));
  }
  if (isOnPeak) {
    found.push(conflict("busiest"));
  }
  if (isAcrossFields(text, marked)) {
    found.push(conflict("or"));
  }
  return found;
}

/** “Which keys made no calls”: a filter by nothing. */
export function toNoneFilter(measures: readonly string[]): {
  filters: QuestionFilter[];
  conflicts: UnknownWord[];
} {
  const [measure] = measures;
  if (measure === "spend" || measure === "revenue") {
    // An unpaid customer is known by invoices, not by what was spent.
    return { filters: [], conflicts: [conflict("not paid")] };
  }
  return {
    filters: measure === undefined ? [] : [{ field: measure, op: "eq", value: 0 }],
    conflicts: [],
  };
}

/** Filters by thresholds, the measures with those that only a threshold names, and thresholds that no measure has. */
export function applyThresholds(
  text: string,
  {
    limits,
    found,
    measures,
  }: { limits: readonly FoundThreshold[]; found: FoundMeasures; measures: readonly string[] },
): { filters: QuestionFilter[]; measures: readonly string[]; conflicts: UnknownWord[] } {
  const filters: QuestionFilter[] = [];
  const conflicts: UnknownWord[] = [];
  let measured = measures;
  for (const limit of limits) {
    const [beside] = findThresholdMeasure(text, found) ?? [];
    // A percentage of errors is their rate.
    const named = beside === "errors" && limit.isPercent ? "error_rate" : beside;
    const field = named ?? (limit.isLatency ? "latency_p95" : undefined);
    // “Requests that took longer than 2 seconds” counts calls by what no measure holds.
    if (field !== undefined && limit.isTime && !field.startsWith("latency")) {
      conflicts.push(conflict("than"));
    } else if (field !== undefined) {
      const isShare = field === "error_rate" && (limit.isPercent || limit.value > 1);
      const value = isShare ? limit.value / 100 : limit.value;
      filters.push({ field, op: limit.op, value });
      measured =
        measured.length > 0 ? measured.map((one) => (one === beside ? field : one)) : [field];
    }
  }
  return { filters, measures: measured, conflicts };
}
