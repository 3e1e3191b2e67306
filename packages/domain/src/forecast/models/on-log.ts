import type { Model } from "./model.ts";

/** A number has no higher power of e. */
const EXPONENT_MAX = 700;

const toLog = (values: readonly number[]) => values.map((value) => Math.log(value));

/** A model of the logarithm, for what grows and swings by shares. Only for values above 0. */
export function onLog(model: Model): Model {
  return {
    name: `${model.name}, log`,
    valuesMin: model.valuesMin,
    prepare(values) {
      const continueLog = model.prepare(toLog(values));
      return (known, horizon) =>
        continueLog(toLog(known), horizon).map((value) => Math.exp(Math.min(value, EXPONENT_MAX)));
    },
  };
}
