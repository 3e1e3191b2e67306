export { accountsOfTenant } from "./accounts-of-tenant.ts";
export { createBillingJobs } from "./billing.jobs.ts";
export type { BillingSettings } from "./billing-settings.ts";
export {
  createAllSubscriptionsRoutes,
  createSubscriptionsRoutes,
} from "./subscriptions/subscriptions.routes.ts";
