import { minimize } from "../minimize.ts";
import { splitSeasons } from "../split-seasons.ts";
import { fitLine } from "../statistics.ts";
import type { Model } from "./model.ts";

function smooth(values: readonly number[], alpha: number): { level: number; cost: number } {
  let level = values[0] ?? 0;
  let cost = 0;
  for (const value of values) {
    const error = value - level;
    cost += error * error;
    level += alpha * error;
  }
  return { level, cost };
}

/**
 * The theta method: smoothing without the seasons, and half the slope of the line through it. Source: Assimakopoulos and
 * Nikolopoulos, "The theta model", 2000; the form is that of Hyndman and Billah, 2003.
 */
export function theta(seasons: readonly number[]): Model {
  return {
    name: "theta",
    valuesMin: 2 * Math.max(2, ...seasons),
    prepare: () => (values, horizon) => {
      const { rest, seasonAt } = splitSeasons(values, seasons);
      const [alpha = 0] = minimize(([tried = 0]) => smooth(rest, tried).cost, {
        start: [0.3],
        low: [0.01],
        high: [0.99],
      });
      const { level } = smooth(rest, alpha);
      const { slope } = fitLine(rest);
      return Array.from(
        { length: horizon },
        (_, step) => level + (slope / 2) * (step + 1 / alpha) + seasonAt(values.length + step),
      );
    },
  };
}
