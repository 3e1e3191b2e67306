export { commitGroups } from "./commit-groups.ts";
export { getLimits } from "./get-limits.ts";
export type { HistoryLine } from "./history-digest.ts";
export {
  type HistoryCall,
  type HistoryOwner,
  importHistory,
  noteImport,
} from "./import-history.ts";
export { prepareUsagePartitions } from "./keep-usage-history.ts";
export { keyUsage } from "./key-usage.ts";
export type { LeaseHolder } from "./lease-holder.ts";
export type { HardLimit, LeaseHold } from "./lease-slot.ts";
export { createLocksRoutes } from "./locks.routes.ts";
export { createMeteringJobs } from "./metering.jobs.ts";
export { createLimitsRoutes } from "./metering.routes.ts";
export { type Metering, startMetering } from "./metering.ts";
export { findQuotaUse, listQuotaUse, type QuotaUse } from "./quota-use.store.ts";
export { reconcile } from "./reconcile.ts";
export { hasRoomForLock, type LockRequest, reserveLock } from "./reserve-lock.ts";
export { rollUpUsage } from "./roll-up-usage.ts";
export type { CallMeasure, MeteredCall, UsageGroup } from "./usage-group.ts";
export type { UsageRecorder } from "./usage-recorder.ts";
