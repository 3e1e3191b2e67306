const STEP_MS = 0.01;
const BUCKETS = 500_000;

/** Counts latencies in buckets of 10 µs up to 5 s; longer ones count as the longest seen. */
export class LatencyHistogram {
  maxMs = 0;
  readonly #buckets = new Uint32Array(BUCKETS);
  #count = 0;

  add(latencyMs: number): void {
    const bucket = Math.min(BUCKETS - 1, Math.floor(latencyMs / STEP_MS));
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.#count += 1;
    this.maxMs = Math.max(this.maxMs, latencyMs);
  }

  /** The upper edge of the bucket in which `share` (0 to 1) of all latencies are reached; 0 when there are none. */
  percentileMs(share: number): number {
    const rank = Math.ceil(share * this.#count);
    let seen = 0;
    for (let bucket = 0; bucket < BUCKETS - 1; bucket += 1) {
      seen += this.#buckets[bucket] ?? 0;
      if (seen >= rank) {
        return Math.min(this.maxMs, (bucket + 1) * STEP_MS);
      }
    }
    return this.maxMs;
  }
}
