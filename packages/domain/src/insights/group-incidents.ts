import { type Incident, WATCHED_MEASURES, type WatchedMeasure } from "./incident.ts";

const HOUR_MS = 60 * 60_000;
/** Measures that leave the usual within these hours share a cause until shown otherwise. */
const TOGETHER_HOURS = 3;

/** An incident of all calls (null), or of those of one route. */
export type RoutedIncident = Incident & { route: string | null };
export type IncidentGroup = RoutedIncident & { also: WatchedMeasure[] };

/** What concerns all calls comes first: it speaks for its routes. */
function rankOf({ measure, route }: RoutedIncident): number {
  const rank = WATCHED_MEASURES.indexOf(measure);
  return route === null ? rank : WATCHED_MEASURES.length + rank;
}

/** Groups incidents that began together: the clearest measure represents them and names the others. */
export function groupIncidents(incidents: readonly RoutedIncident[]): IncidentGroup[] {
  const groups: IncidentGroup[] = [];
  for (const incident of [...incidents].sort((one, other) => rankOf(one) - rankOf(other))) {
    const group = groups.find(
      ({ sinceMs, route }) =>
        (route === null || route === incident.route) &&
        Math.abs(sinceMs - incident.sinceMs) <= TOGETHER_HOURS * HOUR_MS,
    );
    if (group === undefined) {
      groups.push({ ...incident, also: [] });
    } else if (group.measure !== incident.measure && !group.also.includes(incident.measure)) {
      group.also.push(incident.measure);
    }
  }
  return groups;
}
