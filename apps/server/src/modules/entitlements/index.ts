export { assignPlanWithin } from "./assign-plan.ts";
export { changePlan, getPlanVersion } from "./change-plan.ts";
export {
  createEntitlementDirectory,
  type EntitlementDirectory,
} from "./entitlement-directory.ts";
export {
  countPlanSubscribers,
  findEntitlement,
  listEntitlements,
  listOverrides,
  listPlanSubscribers,
  type PlanSubscriber,
} from "./entitlements.store.ts";
export { entitlementsOfTenant } from "./entitlements-of-tenant.ts";
export { getEntitlement } from "./get-entitlement.ts";
export { setSpendBudgetWithin } from "./set-spend-budget.ts";
export { setStandingWithin } from "./set-standing.ts";
export {
  type BudgetKey,
  type CountedBudget,
  findSpendBudget,
  listBudgetedTenants,
  lockSpendBudget,
  writeSpendAnchors,
} from "./spend-budgets.store.ts";
export { tenantPlans } from "./tenant-plans.ts";
export { createTenantTermsRoutes } from "./tenant-terms.routes.ts";
