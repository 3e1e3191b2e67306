import type { BillingDeps } from "#modules/billing/index.ts";
import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { findIncidentsHere } from "./incident-finder.ts";
import { scanAll } from "./scan-all.ts";

export function createInsightsJobs(deps: BillingDeps): RegisteredJob[] {
  return [
    registerSchedule({
      name: "insights.scan",
      // When the hour before has settled.
      cron: "7 * * * *",
      run: ({ signal }) => scanAll({ ...deps, findIncidents: findIncidentsHere }, signal),
    }),
  ];
}
