import type { TimeStretches } from "./chart-types.ts";
import type { TimeBucket } from "./time-buckets.view-model.ts";

/** True when a bucket lies in a stretch, at least for a part. */
export function isMarked(
  stretches: TimeStretches | undefined,
  { fromMs, toMs }: TimeBucket,
): boolean {
  return stretches?.spans.some((span) => span.fromMs < toMs && span.toMs > fromMs) ?? false;
}
