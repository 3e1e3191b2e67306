import type { InsightPart } from "@turnpike/contract/insights";
import type { Incident, WatchedMeasure } from "@turnpike/domain/insights/incident";
import { toGrouped } from "@turnpike/domain/text/to-grouped";

const NOUNS: Readonly<Record<WatchedMeasure, string>> = {
  requests: "Calls",
  errors: "Errors",
  denied: "Refused calls",
  latency_avg: "Latency",
};
const PERCENT = 100;

function toAmount(measure: WatchedMeasure, value: number): string {
  const rounded = toGrouped(Math.round(value));
  return measure === "latency_avg" ? `${rounded} ms` : `${rounded} an hour`;
}

function toPart({ dimension, value, share }: InsightPart): string {
  const name = value === "" ? `calls without a known ${dimension}` : `the ${dimension} ${value}`;
  // Other parts may move against the change: more than all of it would confuse.
  const percent = Math.min(PERCENT, Math.round(share * PERCENT));
  return `${String(percent)} % of the change comes from ${name}`;
}

/** Says in one sentence or two what changed, from what is usual, and what explains it. */
export function describeAnomaly(incident: Incident, cause: InsightPart | null): string {
  const { measure, direction, actual, low, high } = incident;
  const usual = `usual ${measure === "latency_avg" ? "is" : "are"} ${toGrouped(Math.round(low))} to ${toAmount(measure, high)}`;
  const change = `${NOUNS[measure]} ${direction === "up" ? "rose" : "fell"} to ${toAmount(measure, actual)}; ${usual}.`;
  return cause === null ? change : `${change} ${toPart(cause)}.`;
}
