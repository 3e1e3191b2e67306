import { splitSeasons } from "../split-seasons.ts";
import { holtWinters } from "./holt-winters.ts";
import type { Model } from "./model.ts";

/** Seasons apart, and what is left of the series by level and damped trend. */
export function decomposition(seasons: readonly number[]): Model {
  const trend = holtWinters([]);
  return {
    name: "decomposition",
    valuesMin: 2 * Math.max(4, ...seasons),
    prepare(values) {
      const continueRest = trend.prepare(splitSeasons(values, seasons).rest);
      return (known, horizon) => {
        const { rest, seasonAt } = splitSeasons(known, seasons);
        return continueRest(rest, horizon).map(
          (value, step) => value + seasonAt(known.length + step),
        );
      };
    },
  };
}
