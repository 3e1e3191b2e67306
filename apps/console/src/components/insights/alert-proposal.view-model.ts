import { joinCommaList } from "#platform/usage-query.ts";
import type { Evidence, Insight } from "./insights.queries.ts";

/** An alert that would have fired for an anomaly: at the edge of what is usual, for what explains it. */
export type AlertProposal = {
  measure: Exclude<Evidence["measure"], "spend">;
  /** Names of filters with their values, as questions about usage take them. */
  filters: Readonly<Record<string, string>>;
  kind: "above" | "below";
  /** Of an hour; rates in percent. */
  threshold: number;
};

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
    ? { measure, filters, kind: "above", threshold: Math.ceil(high) }
    : { measure, filters, kind: "below", threshold: Math.max(1, Math.floor(low)) };
}
