import { findIncident } from "@turnpike/domain/insights/find-incident";
import { groupIncidents, type IncidentGroup } from "@turnpike/domain/insights/group-incidents";
import type { Hour, WatchedMeasure } from "@turnpike/domain/insights/incident";
import { createTaskThread, type TaskThread } from "#platform/task-thread.ts";

/** A measure by the hour: of all calls, or of those of a route. */
export type WatchedSeries = {
  measure: WatchedMeasure;
  route: string | null;
  hours: Hour[];
  /** All calls of these hours. */
  calls: Hour[];
};
/** The hours of each measure, and from when on an incident counts. */
export type WatchedUsage = {
  series: WatchedSeries[];
  fromMs: number;
};
export type FindIncidents = (usage: WatchedUsage) => Promise<IncidentGroup[]>;

const WAITING_MAX = 50;
const TIMEOUT_MS = 30_000;
const IDLE_MS = 30_000;

/** In the thread of the caller: for jobs, which have one of their own. */
export const findIncidentsHere: FindIncidents = ({ series, fromMs }) =>
  Promise.resolve(
    groupIncidents(
      series.flatMap((one) => {
        const incident = findIncident(one, fromMs);
        return incident === undefined ? [] : [{ ...incident, route: one.route }];
      }),
    ),
  );

/** In a thread of its own, so that no call waits for it. */
export function createIncidentFinder(): FindIncidents {
  const thread: TaskThread<WatchedUsage, IncidentGroup[]> = createTaskThread({
    entry: new URL("./find-incidents-thread.ts", import.meta.url),
    waitingMax: WAITING_MAX,
    timeoutMs: TIMEOUT_MS,
    idleMs: IDLE_MS,
  });
  return (usage) => thread.run(usage);
}
