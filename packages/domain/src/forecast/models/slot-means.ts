import { mean } from "../statistics.ts";
import type { Model } from "./model.ts";

const SEASONS = 4;

/** The mean of each slot over the last seasons, moved to the level of the last one. */
export function slotMeans(season: number): Model {
  return {
    name: `slot means ${String(season)}`,
    valuesMin: 2 * season,
    prepare: () => (values, horizon) => {
      const seasons = Math.min(SEASONS, Math.floor(values.length / season));
      const recent = values.slice(values.length - seasons * season);
      const shift = mean(recent.slice(-season)) - mean(recent);
      const slots = Array.from({ length: season }, (_, slot) =>
        mean(recent.filter((_value, at) => at % season === slot)),
      );
      return Array.from({ length: horizon }, (_, step) => (slots[step % season] ?? 0) + shift);
    },
  };
}
