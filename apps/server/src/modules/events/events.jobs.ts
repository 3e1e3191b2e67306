import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { type EventsHouseDeps, keepEventsHouse } from "./keep-events-house.ts";

export function createEventsJobs(deps: EventsHouseDeps): RegisteredJob[] {
  return [
    registerSchedule({
      name: "events.keep-house",
      cron: "*/10 * * * *",
      run: () => keepEventsHouse(deps),
    }),
  ];
}
