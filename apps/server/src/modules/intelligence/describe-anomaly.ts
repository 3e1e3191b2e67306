import type { InsightPart } from "@turnpike/contract/insights";
import type { RoutedIncident } from "@turnpike/domain/insights/group-incidents";
import type { WatchedMeasure } from "@turnpike/domain/insights/incident";
import { type Currency, formatMinor } from "@turnpike/domain/money/currency";
import { said } from "@turnpike/domain/text/said";
import { toGrouped } from "@turnpike/domain/text/to-grouped";

const NOUNS: Readonly<Record<WatchedMeasure, string>> = {
  requests: said("Calls"),
  error_rate: said("The share of errors"),
  errors: said("Errors"),
  denied: said("Denied calls"),
  latency_avg: said("Latency"),
  spend: said("Charges for usage"),
};
const PERCENT = 100;

function withUnit(measure: WatchedMeasure, value: string): string {
  switch (measure) {
    case "error_rate":
      return `${value}%`;
    case "latency_avg":
      return `${value} ms`;
    default:
      return said(`${value} an hour`);
  }
}

function toNumber(measure: WatchedMeasure, value: number, currency: Currency | undefined): string {
  if (measure === "spend" && currency !== undefined) {
    return `${formatMinor(BigInt(Math.round(value)), currency)} ${currency.code}`;
  }
  return measure === "error_rate" ? value.toFixed(1) : toGrouped(Math.round(value));
}

const DIMENSIONS: Readonly<Record<string, string>> = {
  route: said("route"),
  key: said("key"),
  status: said("status"),
  outcome: said("outcome"),
  tenant: said("tenant"),
  plan: said("plan"),
};

function toPart({ dimension, value, share }: InsightPart): string {
  const of = DIMENSIONS[dimension] ?? dimension;
  const name = value === "" ? said(`calls without a known ${of}`) : said(`the ${of} ${value}`);
  // Other parts may move against the change: more than all of it would confuse.
  const percent = Math.min(PERCENT, Math.round(share * PERCENT));
  return `${String(percent)}% of the change comes from ${name}.`;
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
  const toAmount = (value: number) => toNumber(measure, value, currency);
  const what = route === null ? NOUNS[measure] : said(`${NOUNS[measure]} of the route ${route}`);
  const now = withUnit(measure, toAmount(actual));
  const usual = [toAmount(low), withUnit(measure, toAmount(high))] as const;
  const change =
    direction === "up"
      ? `${what} rose to ${now} (usually ${usual[0]} to ${usual[1]}).`
      : `${what} fell to ${now} (usually ${usual[0]} to ${usual[1]}).`;
  return cause === null ? change : `${change} ${toPart(cause)}`;
}
