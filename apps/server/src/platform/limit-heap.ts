import type { ResourceLimits } from "node:worker_threads";

/**
 * Of the part of the heap where objects begin. V8 ends a thread that reaches its limit, but lets it have 16 MB more
 * until it has ended; when the objects that survive one collection of the young are more than that, V8 aborts the whole
 * process instead. By default the young may take more. One object larger than that aborts the process still.
 */
const YOUNG_MEGABYTES_MAX = 12;

/**
 * Limits of a thread that does what is put off, so that it ends alone, with `ERR_WORKER_OUT_OF_MEMORY`, when it takes too
 * much piece by piece. A small space for young objects is collected more often: not for threads whose speed matters more.
 *
 * @param megabytes - Of the objects that stay.
 */
export function limitHeap(megabytes: number): ResourceLimits {
  return { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: YOUNG_MEGABYTES_MAX };
}
