import type { ChangePart } from "./explain-change.ts";
import type { IncidentGroup } from "./group-incidents.ts";

export type ExplainedIncident<Explanation extends { cause: ChangePart | null }> = {
  incident: IncidentGroup;
  explanation: Explanation;
};

const HOUR_MS = 60 * 60_000;
const APART_MS = 3 * HOUR_MS;

function isSameCause(one: ChangePart | null, other: ChangePart | null): boolean {
  return (
    one !== null && other !== null && one.dimension === other.dimension && one.value === other.value
  );
}

function isNear(one: IncidentGroup, other: IncidentGroup): boolean {
  return one.sinceMs <= other.untilMs + APART_MS && other.sinceMs <= one.untilMs + APART_MS;
}

/**
 * Makes one incident of those that one key, route or other part explains at nearly the same time, however far apart they began:
 * the first to begin stays and names the measures of the others.
 */
export function mergeSameCause<Explanation extends { cause: ChangePart | null }>(
  explained: readonly ExplainedIncident<Explanation>[],
): ExplainedIncident<Explanation>[] {
  const merged: ExplainedIncident<Explanation>[] = [];
  const inOrder = explained.toSorted((one, other) => one.incident.sinceMs - other.incident.sinceMs);
  for (const { incident, explanation } of inOrder) {
    const known = merged.find(
      (earlier) =>
        earlier.incident.route === incident.route &&
        isSameCause(earlier.explanation.cause, explanation.cause) &&
        isNear(earlier.incident, incident),
    );
    if (known === undefined) {
      merged.push({ incident: { ...incident, also: [...incident.also] }, explanation });
      continue;
    }
    for (const measure of [incident.measure, ...incident.also]) {
      if (measure !== known.incident.measure && !known.incident.also.includes(measure)) {
        known.incident.also.push(measure);
      }
    }
  }
  return merged;
}
