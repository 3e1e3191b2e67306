/** Keeps what was computed until the next hour has settled. */
export type HourCache<Value> = {
  /** @param hourMs - The last settled hour: what was computed in another one is computed again. */
  get(key: string, hourMs: number, compute: () => Promise<Value>): Promise<Value>;
};

/** @param sizeMax - The least recently used are forgotten. */
export function createHourCache<Value>(sizeMax: number): HourCache<Value> {
  const kept = new Map<string, { hourMs: number; value: Promise<Value> }>();
  return {
    async get(key, hourMs, compute) {
      const found = kept.get(key);
      kept.delete(key);
      const entry = found?.hourMs === hourMs ? found : { hourMs, value: compute() };
      kept.set(key, entry);
      const [oldest] = kept.keys();
      if (kept.size > sizeMax && oldest !== undefined) {
        kept.delete(oldest);
      }
      try {
        return await entry.value;
      } catch (error) {
        if (kept.get(key) === entry) {
          kept.delete(key);
        }
        throw error;
      }
    },
  };
}
