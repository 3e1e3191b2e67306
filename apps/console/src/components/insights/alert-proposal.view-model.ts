import type { AlertWindowMinutes } from "@turnpike/domain/alerts/alert-rule";
import { joinCommaList } from "#platform/usage-query.ts";
import type { Evidence, Insight } from "./insights.queries.ts";

/** What an alert on another screen begins with, such as one that would have fired for an anomaly, at the edge of what is usual. */
export type AlertProposal = {
  /** One measure of usage, such as `requests` or `meter:tokens`. */
  measure: string;
  /** Names of filters with their values, as questions about usage take them. */
  filters: Readonly<Record<string, string>>;
  kind: "above" | "below";
  /** Of the window; rates in percent; null for the person to say. */
  threshold: number | null;
  windowMinutes: AlertWindowMinutes;
};

const HOUR_MINUTES = 60;

function toFilters({ cause, route }: Pick<Evidence, "cause" | "route">): Record<string, string> {
  const part =
    cause === null || cause.dimension === "tenant"
      ? {}
      : { [cause.dimension]: joinCommaList([cause.value]) };
  return { ...(route === null ? {} : { route: joinCommaList([route]) }), ...part };
}

/** Proposes an alert on an anomaly. @returns Undefined for facts and charges, which no rule about usage watches. */
export function toAlertProposal({
  evidence,
}: Pick<Insight, "evidence">): AlertProposal | undefined {
  if (evidence === null) {
    return;
  }
  const { measure, direction, low, high } = evidence;
  if (measure === "spend") {
    return;
  }
  const filters = toFilters(evidence);
  return direction === "up"
    ? { measure, filters, kind: "above", threshold: Math.ceil(high), windowMinutes: HOUR_MINUTES }
    : {
        measure,
        filters,
        kind: "below",
        threshold: Math.max(1, Math.floor(low)),
        windowMinutes: HOUR_MINUTES,
      };
}
