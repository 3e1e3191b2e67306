import type { ExportQuestion } from "@turnpike/contract/exports";
import type { Grain } from "@turnpike/domain/time/zoned-buckets";
import type { MeterVersions } from "../queries/plan-meters.ts";
import { type PlannedPeriod, planQuery, type QueryPlan } from "../queries/plan-query.ts";
import { planSources } from "../queries/plan-sources.ts";

/** Steps of the progress. After a crash, at most one of them is written again. */
const CHUNKS_MAX = 100;
/** Each chunk is a file that is synced to the disk, which is not worth it for fewer buckets. */
const BUCKETS_MIN: Readonly<Record<Grain, number>> = {
  minute: 10,
  hour: 6,
  day: 3,
  week: 1,
  month: 1,
};

export type ExportPlan = QueryPlan & {
  /** The periods of the chunks. Together they tile the range, and no bucket is in two of them. */
  chunks: readonly PlannedPeriod[];
};

/** Cuts a period between its buckets. A period without buckets is one chunk. */
function cut(period: PlannedPeriod, grain: Grain | null): PlannedPeriod[] {
  const { starts } = period;
  const sizeMin = grain === null ? 1 : BUCKETS_MIN[grain];
  const size = Math.max(sizeMin, Math.ceil(starts.length / CHUNKS_MAX));
  const chunks: PlannedPeriod[] = [];
  for (let at = 0; at < starts.length; at += size) {
    const ofChunk = starts.slice(at, at + size);
    const range = {
      fromMs: Math.max(period.fromMs, ofChunk[0] ?? period.fromMs),
      toMs: starts[at + size] ?? period.toMs,
    };
    chunks.push({ ...range, starts: ofChunk, sources: planSources(range, ofChunk) });
  }
  return chunks.length === 0 ? [period] : chunks;
}

/**
 * Decides how an export is read: as the question would be answered, chunk by chunk.
 *
 * @throws {AppError} As `planQuery`.
 */
export function planExport(
  question: ExportQuestion,
  now: Date,
  versionsOf: ReadonlyMap<string, MeterVersions>,
): ExportPlan {
  // An export has all rows: the limit of an answer does not apply.
  const plan = planQuery({ ...question, limit: 1 }, now, versionsOf);
  return { ...plan, chunks: cut(plan.period, plan.grain) };
}
