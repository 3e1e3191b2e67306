import type { RateBucket } from "./rate-store.ts";

/** Buckets whose calls are reported when the store is back. */
const REPORTED_MAX = 50_000;

/** Calls that passed while the store of limits was away, to be reported when it is back. */
export class PassedCalls {
  #buckets = new Map<string, { bucket: RateBucket; calls: number }>();

  /** Buckets with calls to report. */
  get size(): number {
    return this.#buckets.size;
  }

  note(bucket: RateBucket, calls: number): void {
    const known = this.#buckets.get(bucket.name);
    if (known !== undefined) {
      known.calls += calls;
    } else if (this.#buckets.size < REPORTED_MAX) {
      this.#buckets.set(bucket.name, { bucket, calls });
    }
  }

  /** What was noted, which is forgotten here. */
  drain(): { bucket: RateBucket; calls: number }[] {
    const drained = [...this.#buckets.values()];
    this.#buckets = new Map();
    return drained;
  }
}
