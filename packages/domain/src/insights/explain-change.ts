import { chooseCause } from "../anomaly/cause/choose-cause.ts";
import { explainRate, type Rate } from "../anomaly/cause/explain-rate.ts";
import { explainSum } from "../anomaly/cause/explain-sum.ts";
import type { WatchedMeasure } from "./incident.ts";
import type { SummedCalls } from "./read-measure.ts";

/** By what a change can be split. */
export const CAUSE_DIMENSIONS = ["key", "route", "status", "outcome", "tenant", "meter"] as const;
export type CauseDimension = (typeof CAUSE_DIMENSIONS)[number];

/** A part of a change: `share` of the change, `weight` of the whole before. */
export type ChangePart = {
  dimension: CauseDimension;
  value: string;
  share: number;
  weight: number;
};
/** The calls of each value of a dimension in the hours that are compared. */
export type ComparedCalls = {
  dimension: CauseDimension;
  values: readonly { value: string; before: SummedCalls; after: SummedCalls }[];
};
export type ChangeExplanation = {
  cause: ChangePart | null;
  /** By every dimension, that of the cause or the first one in front; each has all parts, the heaviest first. */
  byDimension: { dimension: CauseDimension; parts: ChangePart[] }[];
};

/** True for what calls or is called; a status and an outcome only say how it ended. */
function isActor(dimension: CauseDimension): boolean {
  return dimension !== "status" && dimension !== "outcome";
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

/** The calls that were let through, and their errors or milliseconds. */
function toRate(calls: SummedCalls, measure: "latency_avg" | "error_rate"): Rate {
  const of = calls.requests - calls.denied;
  return { hits: measure === "latency_avg" ? (calls.latencyMs ?? 0) * of : calls.errors, of };
}

function explainQuotient(
  measure: "latency_avg" | "error_rate",
  { dimension, values }: ComparedCalls,
): ChangePart[] {
  const { parts } = explainRate(
    values.map(({ value, before, after }) => ({
      name: value,
      before: toRate(before, measure),
      after: toRate(after, measure),
    })),
  );
  const calls = parts.reduce((sum, { before }) => sum + before.of, 0);
  return parts.map(({ name, share, before }) => ({
    dimension,
    value: name,
    share,
    weight: shareOf(before.of, calls),
  }));
}

function explainCount(
  measure: "requests" | "errors" | "denied" | "spend",
  { dimension, values }: ComparedCalls,
): ChangePart[] {
  // Few errors or refusals before say little of who makes them: what a key or a route weighs is its share of the calls.
  const weighed = isActor(dimension) && measure !== "spend" ? "requests" : measure;
  const whole = values.reduce((sum, { before }) => sum + before[weighed], 0);
  const weights = new Map(values.map(({ value, before }) => [value, before[weighed]]));
  const { parts } = explainSum(
    values.map(({ value, before, after }) => ({
      name: value,
      before: before[measure],
      after: after[measure],
    })),
  );
  return parts.map(({ name, share }) => ({
    dimension,
    value: name,
    share,
    weight: shareOf(weights.get(name) ?? 0, whole),
  }));
}

/**
 * Splits the change of a measure by each dimension, and chooses the part that makes most of it beyond its share of the whole: of
 * what calls or is called, or else the status or outcome.
 *
 * @param compared - The most useful dimension first.
 */
export function explainChange(
  measure: WatchedMeasure,
  compared: readonly ComparedCalls[],
): ChangeExplanation {
  const byDimension = compared.map((calls) => ({
    dimension: calls.dimension,
    parts:
      measure === "latency_avg" || measure === "error_rate"
        ? explainQuotient(measure, calls)
        : explainCount(measure, calls),
  }));
  const suspects = byDimension.map(({ dimension, parts }) => ({
    dimension,
    parts: parts.map(({ value, share, weight }) => ({ name: value, share, weight })),
  }));
  const chosen =
    chooseCause(suspects.filter(({ dimension }) => isActor(dimension))) ?? chooseCause(suspects);
  const isOfCause = ({ dimension }: { dimension: CauseDimension }) =>
    dimension === chosen?.dimension;
  return {
    cause:
      chosen === undefined
        ? null
        : {
            dimension: chosen.dimension,
            value: chosen.name,
            share: chosen.share,
            weight: chosen.weight,
          },
    byDimension: [...byDimension.filter(isOfCause), ...byDimension.filter((by) => !isOfCause(by))],
  };
}
