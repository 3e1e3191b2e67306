import type { Model } from "./model.ts";

/** The last season again. */
export function seasonalNaive(season: number): Model {
  return {
    name: `seasonal naive ${String(season)}`,
    valuesMin: season,
    prepare: () => (values, horizon) =>
      Array.from(
        { length: horizon },
        (_, step) => values[values.length - season + (step % season)] ?? 0,
      ),
  };
}
