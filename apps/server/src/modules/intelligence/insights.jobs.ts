import type { BillingDeps } from "#modules/billing/index.ts";
import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { createForecasterHere } from "./forecasts/forecaster.ts";
import { findIncidentsHere } from "./incident-finder.ts";
import { scanAll } from "./scan-all.ts";

export function createInsightsJobs(deps: BillingDeps): RegisteredJob[] {
  const forecaster = createForecasterHere();
  return [
    registerSchedule({
      name: "insights.scan",
      // When the hour before has settled.
      cron: "7 * * * *",
      run: ({ signal }) =>
        scanAll({ ...deps, findIncidents: findIncidentsHere, forecaster }, signal),
    }),
  ];
}
