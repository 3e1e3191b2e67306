import type { ExportQuestion } from "@turnpike/contract/exports";
import type { Grain } from "@turnpike/domain/time/zoned-buckets";
import type { MeterVersions } from "./plan-meters.ts";
import { type PlannedPeriod, planQuery, type QueryPlan } from "./plan-query.ts";
import { planSources } from "./plan-sources.ts";

/** Steps of the progress, and what a crash may have to write again: a hundredth of what is long. */
const PARTS_MAX = 100;
/** Each part is a file that is synced to the disk: not for less than so many buckets. */
const BUCKETS_MIN: Readonly<Record<Grain, number>> = {
  minute: 10,
  hour: 6,
  day: 3,
  week: 1,
  month: 1,
};

export type ExportPlan = QueryPlan & {
  /** What each part is read from; together they tile the range, and no bucket is in two of them. */
  parts: readonly PlannedPeriod[];
};

/** Cuts a period between its buckets; one without buckets is one part. */
function cut(period: PlannedPeriod, grain: Grain | null): PlannedPeriod[] {
  const { starts } = period;
  const sizeMin = grain === null ? 1 : BUCKETS_MIN[grain];
  const size = Math.max(sizeMin, Math.ceil(starts.length / PARTS_MAX));
  const parts: PlannedPeriod[] = [];
  for (let at = 0; at < starts.length; at += size) {
    const ofPart = starts.slice(at, at + size);
    const range = {
      fromMs: Math.max(period.fromMs, ofPart[0] ?? period.fromMs),
      toMs: starts[at + size] ?? period.toMs,
    };
    parts.push({ ...range, starts: ofPart, sources: planSources(range, ofPart) });
  }
  return parts.length === 0 ? [period] : parts;
}

/**
 * Decides how an export is read: as the question would be answered, part by part.
 *
 * @throws {AppError} As `planQuery`.
 */
export function planExport(
  question: ExportQuestion,
  now: Date,
  versionsOf: ReadonlyMap<string, MeterVersions>,
): ExportPlan {
  // All rows are given: the limit of an answer is not asked.
  const plan = planQuery({ ...question, limit: 1 }, now, versionsOf);
  return { ...plan, parts: cut(plan.period, plan.grain) };
}
