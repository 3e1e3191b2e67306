export { commitGroups } from "./commit-groups.ts";
export { getLimits } from "./get-limits.ts";
export type { HardLimit, LeaseHold, LeaseHolder } from "./lease-holder.ts";
export { createMeteringJobs } from "./metering.jobs.ts";
export { createLimitsRoutes } from "./metering.routes.ts";
export { type Metering, startMetering } from "./metering.ts";
export { reconcile } from "./reconcile.ts";
export type { CallMeasure, MeteredCall, UsageGroup } from "./usage-group.ts";
export type { UsageRecorder } from "./usage-recorder.ts";
