import type { IncidentGroup } from "@turnpike/domain/insights/group-incidents";
import type { Hour } from "@turnpike/domain/insights/incident";
import type { FoundInsight } from "../found-insight.ts";
import type { WatchedSeries } from "../incident-finder.ts";
import type { Spend } from "./read-spend.ts";

function sumIn(hours: readonly Hour[], { sinceMs, untilMs }: IncidentGroup): number {
  return hours.reduce(
    (sum, { timeMs, value }) => (timeMs >= sinceMs && timeMs < untilMs ? sum + (value ?? 0) : sum),
    0,
  );
}

/**
 * Tells of an incident of spend in money: what its hours were charged, and what the usual use of these hours would be charged at the
 * same prices. The evidence is in major units, as everywhere else in the API.
 *
 * @param tell - Is given the incident and its series in minor units.
 */
export function inMoney(
  { currency, series }: Spend,
  incident: IncidentGroup,
  tell: (incident: IncidentGroup, series: WatchedSeries) => FoundInsight,
): FoundInsight {
  const value = sumIn(series.hours, incident);
  const factor = value === 0 ? 0 : sumIn(series.calls, incident) / value;
  const toCharged = (hour: Hour): Hour => ({
    timeMs: hour.timeMs,
    value: hour.value === null ? null : hour.value * factor,
  });
  const found = tell(
    {
      ...incident,
      actual: incident.actual * factor,
      expected: incident.expected * factor,
      low: incident.low * factor,
      high: incident.high * factor,
    },
    { ...series, hours: series.hours.map(toCharged) },
  );
  const { evidence } = found.facts;
  if (evidence === null) {
    return found;
  }
  const toMajor = (minor: number) => minor / 10 ** currency.digits;
  const toMajorOrNull = (minor: number | null) => (minor === null ? null : toMajor(minor));
  const inMajor = {
    ...evidence,
    currency: currency.code,
    actual: toMajor(evidence.actual),
    expected: toMajor(evidence.expected),
    low: toMajor(evidence.low),
    high: toMajor(evidence.high),
    points: evidence.points.map((point) => ({
      time: point.time,
      value: toMajorOrNull(point.value),
      low: toMajorOrNull(point.low),
      high: toMajorOrNull(point.high),
    })),
  };
  return { ...found, facts: { ...found.facts, evidence: inMajor } };
}
