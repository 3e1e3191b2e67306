export { createAlertsJobs } from "./alerts.jobs.ts";
export { createAlertsRoutes } from "./alerts.routes.ts";
export { alertsOfTenant } from "./alerts-of-tenant.store.ts";
export { evaluateAlerts } from "./evaluate-alerts.ts";
export { createAlert, listAlerts } from "./manage-alerts.ts";
export type { NotifyOfAlertDeps } from "./notify-of-alert.ts";
export { notifyOfRunOuts } from "./run-outs/notify-of-run-outs.ts";
