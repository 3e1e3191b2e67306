const STEP_MS = 0.01;
const SLOTS = 500_000;

/** Counts latencies in slots of 10 µs up to 5 s; longer ones count as the longest seen. */
export class LatencyHistogram {
  maxMs = 0;
  readonly #slots = new Uint32Array(SLOTS);
  #count = 0;

  add(latencyMs: number): void {
    const slot = Math.min(SLOTS - 1, Math.floor(latencyMs / STEP_MS));
    this.#slots[slot] = (this.#slots[slot] ?? 0) + 1;
    this.#count += 1;
    this.maxMs = Math.max(this.maxMs, latencyMs);
  }

  /** The upper edge of the slot in which `share` (0 to 1) of all latencies are reached; 0 when there are none. */
  percentileMs(share: number): number {
    const rank = Math.ceil(share * this.#count);
    let seen = 0;
    for (let slot = 0; slot < SLOTS - 1; slot += 1) {
      seen += this.#slots[slot] ?? 0;
      if (seen >= rank) {
        return Math.min(this.maxMs, (slot + 1) * STEP_MS);
      }
    }
    return this.maxMs;
  }
}
