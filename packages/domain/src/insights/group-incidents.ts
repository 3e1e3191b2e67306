import { type Incident, WATCHED_MEASURES, type WatchedMeasure } from "./incident.ts";

const HOUR_MS = 60 * 60_000;
/** Measures that leave the usual within these hours share a cause until shown otherwise. */
const TOGETHER_HOURS = 3;

export type IncidentGroup = Incident & { also: WatchedMeasure[] };

function rankOf({ measure }: Incident): number {
  return WATCHED_MEASURES.indexOf(measure);
}

/** Groups incidents that began together: the clearest measure represents them and names the others. */
export function groupIncidents(incidents: readonly Incident[]): IncidentGroup[] {
  const groups: IncidentGroup[] = [];
  for (const incident of [...incidents].sort((one, other) => rankOf(one) - rankOf(other))) {
    const group = groups.find(
      ({ sinceMs }) => Math.abs(sinceMs - incident.sinceMs) <= TOGETHER_HOURS * HOUR_MS,
    );
    if (group === undefined) {
      groups.push({ ...incident, also: [] });
    } else {
      group.also.push(incident.measure);
    }
  }
  return groups;
}
