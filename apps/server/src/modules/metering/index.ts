export type { HistoryLine } from "./history/history-digest.ts";
export {
  type HistoryCall,
  type HistoryOwner,
  importHistory,
  recordImport,
} from "./history/import-history.ts";
export { prepareUsagePartitions } from "./history/keep-usage-history.ts";
export { type HardLimit, type LeaseHold, NO_LIMIT } from "./leases/lease-entry.ts";
export type { LeaseHolder } from "./leases/lease-holder.ts";
export {
  type CreditState,
  findCreditState,
  findSpendState,
  type SpendState,
} from "./leases/spend-room.ts";
export { commitGroups } from "./ledger/commit-groups.ts";
export { getLimits } from "./ledger/get-limits.ts";
export { keyUsage } from "./ledger/key-usage.ts";
export { cutOffUsage, listLostProcesses } from "./ledger/ledger.store.ts";
export { findQuotaUse, listQuotaUse, type QuotaUse } from "./ledger/quota-use.store.ts";
export { reconcile } from "./ledger/reconcile.ts";
export type {
  CallMeasure,
  GroupObserver,
  MeteredCall,
  UsageGroup,
} from "./ledger/usage-group.ts";
export type { UsageRecorder } from "./ledger/usage-recorder.ts";
export { createLocksRoutes } from "./locks/locks.routes.ts";
export { hasRoomForLock, type LockRequest, reserveLock } from "./locks/reserve-lock.ts";
export { createMeteringJobs } from "./metering.jobs.ts";
export { createLimitsRoutes } from "./metering.routes.ts";
export { type Metering, recoverFolder, startMetering } from "./metering.ts";
export { isMeterUsed } from "./rollups/demo-usage.store.ts";
export { holdRollUps } from "./rollups/recent-usage.store.ts";
export { removeDemoUsage } from "./rollups/remove-demo-usage.ts";
export { rollUpUsage } from "./rollups/roll-up-usage.ts";
