export {
  createAnalyticsRawRoutes,
  createAnalyticsRoutes,
} from "./analytics.routes.ts";
export { createAnalyticsJobs } from "./exports.jobs.ts";
export { createExportsRawRoutes, createExportsRoutes } from "./exports.routes.ts";
export { findExportFileIds } from "./exports.store.ts";
export { exportsOfTenant } from "./exports-of-tenant.store.ts";
export { createLiveCallsRawRoutes } from "./live-calls.routes.ts";
export { LIVE_CALLS_CHANNEL } from "./live-calls.store.ts";
export { createLiveCalls } from "./live-calls.ts";
export { createExport, listExports } from "./manage-exports.ts";
export { queryUsage, queryUsageOfAll } from "./query-usage.ts";
export { queryWindows } from "./query-windows.ts";
export { createQueue, type Queue } from "./queue-queries.ts";
export { refusalWithin } from "./refuse-question.ts";
