export type VerdictOrder = {
  /**
   * Records a verdict on a key.
   *
   * @param askedAtMs - When it was asked for, in monotonic milliseconds.
   * @returns False when a verdict may be known that was asked for later: answers may overtake one another.
   */
  advance(key: string, askedAtMs: number): boolean;
  size(): number;
};

/**
 * Remembers of which moment the newest verdict on each key is, also of keys that are gone: else an older answer would bring them
 * back.
 *
 * @param options.entriesMax - Keys that are remembered one by one, the most recent; of all others together, the newest moment.
 */
export function createVerdictOrder({ entriesMax }: { entriesMax: number }): VerdictOrder {
  const newest = new Map<string, number>();
  let forgottenAtMs = Number.NEGATIVE_INFINITY;
  return {
    advance(key, askedAtMs) {
      if (askedAtMs < (newest.get(key) ?? forgottenAtMs)) {
        return false;
      }
      newest.delete(key);
      newest.set(key, askedAtMs);
      const [oldest] = newest;
      if (newest.size > entriesMax && oldest !== undefined) {
        newest.delete(oldest[0]);
        forgottenAtMs = Math.max(forgottenAtMs, oldest[1]);
      }
      return true;
    },
    size: () => newest.size,
  };
}
