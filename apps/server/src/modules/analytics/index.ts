export type { CallLog } from "./call-log/call-log.ts";
export { type CallLogState, getCallLogState } from "./call-log/get-log-state.ts";
export { type CallLogger, createCallLogger } from "./call-log/log-calls.ts";
export { openCallLog } from "./call-log/open-call-log.ts";
export { createCallsRoutes } from "./calls/calls.routes.ts";
export { callsOfTenant } from "./calls/calls-of-tenant.store.ts";
export { createRecentCalls, type RecentCalls } from "./calls/recent-calls.ts";
export { prepareCopies } from "./copies/copied-sums.ts";
export { type CopyProgress, copyUsage, countCopies, rebuildCopies } from "./copies/copy-usage.ts";
export { createAnalyticsJobs } from "./exports/exports.jobs.ts";
export { createExportsRawRoutes, createExportsRoutes } from "./exports/exports.routes.ts";
export { exportFiles } from "./exports/exports.store.ts";
export { exportsOfTenant } from "./exports/exports-of-tenant.store.ts";
export { createExport, listExports } from "./exports/manage-exports.ts";
export { assertTenantOpen, isTenantOpen } from "./live/assert-tenant-open.ts";
export { createLiveCallsRawRoutes } from "./live/live-calls.routes.ts";
export { LIVE_CALLS_CHANNEL } from "./live/live-calls.store.ts";
export { createLiveCalls } from "./live/live-calls.ts";
export {
  createAnalyticsRawRoutes,
  createAnalyticsRoutes,
} from "./queries/analytics.routes.ts";
export { queryUsage, queryUsageOfAll } from "./queries/query-usage.ts";
export { queryWindows } from "./queries/query-windows.ts";
export { createQueue, type Queue } from "./queries/queue-queries.ts";
export { readRollups } from "./queries/read-rollups.ts";
export { refusalWithin } from "./queries/refuse-question.ts";
export { summariseKeys } from "./queries/summarise-keys.ts";
