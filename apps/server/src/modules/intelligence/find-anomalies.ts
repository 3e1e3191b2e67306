import type { InsightAction, InsightPart } from "@turnpike/contract/insights";
import { isId } from "@turnpike/domain/ids/ids";
import { findBand } from "@turnpike/domain/insights/find-band";
import type { IncidentGroup } from "@turnpike/domain/insights/group-incidents";
import { type ExplainedIncident, mergeSameCause } from "@turnpike/domain/insights/merge-same-cause";
import type { Currency } from "@turnpike/domain/money/currency";
import type { AppServices } from "#platform/app-services.ts";
import { describeAnomaly } from "./describe-anomaly.ts";
import { type Explanation, explainIncident } from "./explain-incident.ts";
import type { FoundInsight } from "./found-insight.ts";
import type { FindIncidents, WatchedSeries } from "./incident-finder.ts";
import { explainSpend } from "./spend/explain-spend.ts";
import { inMoney } from "./spend/in-money.ts";
import type { Spend } from "./spend/read-spend.ts";
import type { UsageScope } from "./usage-scope.ts";

const HOUR_MS = 60 * 60_000;
/** What began earlier was found by the run of its hour. */
const RECENT_HOURS = 48;
const SHOWN_BEFORE_HOURS = 48;

function toInstant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

function toPoints(usage: readonly WatchedSeries[], { measure, route, sinceMs }: IncidentGroup) {
  const isShown = (series: WatchedSeries) => series.measure === measure && series.route === route;
  const hours = usage.find(isShown)?.hours ?? [];
  return hours
    .filter(({ timeMs }) => timeMs >= sinceMs - SHOWN_BEFORE_HOURS * HOUR_MS)
    .map(({ timeMs, value }) => {
      const band = findBand(hours, { timeMs, beforeMs: Math.min(timeMs, sinceMs) });
      return {
        time: toInstant(timeMs),
        value,
        low: band?.low ?? null,
        high: band?.high ?? null,
      };
    });
}

function toAction(incident: IncidentGroup, cause: InsightPart | null): InsightAction {
  const { measure, route, direction, sinceMs, untilMs } = incident;
  const part = route === null ? cause : { dimension: "route" as const, value: route };
  const isByKey = cause?.dimension === "key" && isId("key", cause.value);
  if (isByKey && (measure === "requests" || measure === "spend") && direction === "up") {
    return { do: "limit_key", keyId: cause.value as never };
  }
  return {
    do: "open_chart",
    measure,
    from: toInstant(sinceMs),
    to: toInstant(untilMs),
    dimension: part?.dimension ?? null,
    value: part?.value ?? null,
  };
}

function toFound(
  usage: readonly WatchedSeries[],
  incident: IncidentGroup,
  { comparedFromMs, cause, parts, others }: Explanation,
  currency: Currency | undefined,
): FoundInsight {
  const { measure, route, direction, statistic, sinceMs, untilMs } = incident;
  const of = route === null ? "" : ` of ${route}`;
  return {
    kind: "anomaly",
    fingerprint: `anomaly ${measure} ${direction} ${cause?.dimension ?? ""} ${cause?.value ?? ""}${of}`,
    sinceMs,
    isOver: incident.isOver,
    facts: {
      text: describeAnomaly(incident, cause, currency),
      confidence: incident.confidence,
      evidence: {
        measure,
        route,
        also: incident.also,
        statistic,
        direction,
        from: toInstant(sinceMs),
        to: toInstant(untilMs),
        actual: incident.actual,
        expected: incident.expected,
        low: incident.low,
        high: incident.high,
        comparedFrom: toInstant(comparedFromMs),
        cause,
        parts,
        others,
        points: toPoints(usage, incident),
      },
      action: toAction(incident, cause),
    },
  };
}

/**
 * Finds what left the usual in the last two days, each with the part that explains it.
 *
 * @param spend - What the tenant is charged, which is watched as well; left out where nothing is.
 */
export async function findAnomalies(
  deps: AppServices & { findIncidents: FindIncidents },
  scope: UsageScope,
  watched: WatchedSeries[],
  spend?: Spend,
): Promise<FoundInsight[]> {
  const usage = spend === undefined ? watched : [...watched, spend.series];
  const hours = usage[0]?.hours ?? [];
  const first = hours[0];
  const last = hours.at(-1);
  if (first === undefined || last === undefined) {
    return [];
  }
  const groups = await deps.findIncidents({
    series: usage,
    fromMs: last.timeMs - (RECENT_HOURS - 1) * HOUR_MS,
  });
  const explained: ExplainedIncident<Explanation>[] = [];
  for (const incident of groups) {
    const explanation =
      incident.measure === "spend" && spend !== undefined && scope.tenantId !== null
        ? await explainSpend(deps, scope.tenantId, { incident, spend })
        : await explainIncident(deps, scope, { incident, firstMs: first.timeMs });
    explained.push({ incident, explanation });
  }
  return mergeSameCause(explained).map(({ incident, explanation }) =>
    spend !== undefined && incident.measure === "spend"
      ? inMoney(spend, incident, (charged, series) =>
          toFound([series], charged, explanation, spend.currency),
        )
      : toFound(usage, incident, explanation, undefined),
  );
}
