import type { NotifyOfAlertDeps } from "#modules/alerts/index.ts";
import type { BillingDeps } from "#modules/billing/index.ts";
import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { createForecasterHere } from "./forecaster.ts";
import { keepForecasts } from "./keep-forecasts.ts";

export function createForecastsJobs(deps: BillingDeps & NotifyOfAlertDeps): RegisteredJob[] {
  const forecaster = createForecasterHere();
  return [
    registerSchedule({
      name: "forecasts.keep",
      // Once a day for each tenant: runs later in the day take what an earlier one did not reach.
      cron: "23 * * * *",
      run: ({ signal }) => keepForecasts({ ...deps, forecaster }, signal),
    }),
  ];
}
