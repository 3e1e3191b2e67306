import { mean } from "../statistics.ts";
import type { Model } from "./model.ts";

const VALUES = 28;

/** The mean of the last values, again and again. */
export function recentMean(): Model {
  return {
    name: "recent mean",
    valuesMin: 1,
    prepare: () => (values, horizon) =>
      new Array<number>(horizon).fill(mean(values.slice(-VALUES))),
  };
}
