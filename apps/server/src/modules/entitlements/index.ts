export { changePlan } from "./change-plan.ts";
export {
  createEntitlementDirectory,
  type EntitlementDirectory,
} from "./entitlement-directory.ts";
export { findEntitlement, listEntitlements } from "./entitlements.store.ts";
export { entitlementsOfTenant } from "./entitlements-of-tenant.ts";
export { getEntitlement } from "./get-entitlement.ts";
export { tenantPlans } from "./tenant-plans.ts";
