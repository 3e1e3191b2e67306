import { ALERT_HISTORY_DAYS } from "@turnpike/contract/alerts";
import { type RegisteredJob, registerSchedule } from "#platform/define-job.ts";
import { evaluateAlerts } from "./evaluate-alerts.ts";
import type { NotifyOfAlertDeps } from "./notify-of-alert.ts";
import { pruneAlertEvents } from "./prune-alert-events.ts";
import { watchQuotas } from "./quotas/watch-quotas.ts";
import { rewindAlerts } from "./rewind-alerts.ts";

const DAY_MS = 24 * 60 * 60_000;

export function createAlertsJobs(deps: NotifyOfAlertDeps): RegisteredJob[] {
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
        pruneAlertEvents(deps, new Date(deps.clock.now().getTime() - ALERT_HISTORY_DAYS * DAY_MS)),
    }),
  ];
}
