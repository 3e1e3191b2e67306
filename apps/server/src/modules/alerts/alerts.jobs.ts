import { ALERT_HISTORY_DAYS } from "@turnpike/contract/alerts";
import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { deleteOldHappenings } from "./delete-old-happenings.ts";
import { evaluateAlerts } from "./evaluate-alerts.ts";
import { rewindAlerts } from "./rewind-alerts.ts";
import type { TellAlertDeps } from "./tell-alert.ts";
import { watchQuotas } from "./watch-quotas.ts";

const DAY_MS = 24 * 60 * 60_000;

export function createAlertsJobs(deps: TellAlertDeps): RegisteredJob[] {
  return [
    registerSchedule({
      name: "alerts.evaluate",
      cron: "* * * * *",
      run: async ({ signal }) => {
        await rewindAlerts(deps);
        return await evaluateAlerts(deps, signal);
      },
    }),
    registerSchedule({
      name: "alerts.watch-quotas",
      cron: "* * * * *",
      run: ({ signal }) => watchQuotas(deps, signal),
    }),
    registerSchedule({
      name: "alerts.forget-old",
      cron: "52 3 * * *",
      run: () =>
        deleteOldHappenings(
          deps,
          new Date(deps.clock.now().getTime() - ALERT_HISTORY_DAYS * DAY_MS),
        ),
    }),
  ];
}
