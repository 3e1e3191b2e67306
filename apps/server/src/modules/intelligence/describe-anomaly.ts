import type { InsightPart } from "@turnpike/contract/insights";
import type { RoutedIncident } from "@turnpike/domain/insights/group-incidents";
import type { WatchedMeasure } from "@turnpike/domain/insights/incident";
import { type Currency, formatMinor } from "@turnpike/domain/money/currency";
import { toGrouped } from "@turnpike/domain/text/to-grouped";

const NOUNS: Readonly<Record<WatchedMeasure, string>> = {
  requests: "Calls",
  error_rate: "The share of errors",
  errors: "Errors",
  denied: "Denied calls",
  latency_avg: "Latency",
  spend: "Charges for usage",
};
const PERCENT = 100;

const UNITS: Readonly<Record<WatchedMeasure, string>> = {
  requests: "an hour",
  error_rate: "%",
  errors: "an hour",
  denied: "an hour",
  latency_avg: "ms",
  spend: "an hour",
};

function toNumber(measure: WatchedMeasure, value: number, currency: Currency | undefined): string {
  if (measure === "spend" && currency !== undefined) {
    return `${formatMinor(BigInt(Math.round(value)), currency)} ${currency.code}`;
  }
  return measure === "error_rate" ? value.toFixed(1) : toGrouped(Math.round(value));
}

function toPart({ dimension, value, share }: InsightPart): string {
  const name = value === "" ? `calls without a known ${dimension}` : `the ${dimension} ${value}`;
  // Other parts may move against the change: more than all of it would confuse.
  const percent = Math.min(PERCENT, Math.round(share * PERCENT));
  return `${String(percent)} % of the change comes from ${name}`;
}

/**
 * Says in one sentence or two what changed, from what is usual, and what explains it.
 *
 * @param currency - That of charges.
 */
export function describeAnomaly(
  incident: RoutedIncident,
  cause: InsightPart | null,
  currency?: Currency,
): string {
  const { measure, route, direction, actual, low, high } = incident;
  const unit = UNITS[measure];
  const toAmount = (value: number) => toNumber(measure, value, currency);
  const isOne = measure === "latency_avg" || measure === "error_rate";
  const usual = `usual ${isOne ? "is" : "are"} ${toAmount(low)} to ${toAmount(high)} ${unit}`;
  const of = route === null ? "" : ` of the route ${route}`;
  const change = `${NOUNS[measure]}${of} ${direction === "up" ? "rose" : "fell"} to ${toAmount(actual)} ${unit}; ${usual}.`;
  return cause === null ? change : `${change} ${toPart(cause)}.`;
}
