import { modelTokensOfTenant, proposalsOfTenant } from "#modules/agents/index.ts";
import { alertsOfTenant } from "#modules/alerts/index.ts";
import { callsOfTenant, exportsOfTenant } from "#modules/analytics/index.ts";
import { accountsOfTenant } from "#modules/billing/index.ts";
import { documentsOfTenant } from "#modules/documents/index.ts";
import { entitlementsOfTenant } from "#modules/entitlements/index.ts";
import { filesOfTenant } from "#modules/files/index.ts";
import { forecastsOfTenant, insightsOfTenant } from "#modules/intelligence/index.ts";
import { keysOfTenant } from "#modules/keys/index.ts";
import { noticesOfTenant } from "#modules/notifications/index.ts";
import { ssoOfTenant } from "#modules/sso/index.ts";
import type { TenantResource } from "#modules/tenants/index.ts";

/**
 * What modules store for a tenant, in the order in which it ends with it. Keys come last: publishing their changes takes the
 * lock of the change feed.
 */
export const TENANT_RESOURCES: readonly TenantResource[] = [
  noticesOfTenant,
  exportsOfTenant,
  callsOfTenant,
  alertsOfTenant,
  insightsOfTenant,
  forecastsOfTenant,
  proposalsOfTenant,
  modelTokensOfTenant,
  documentsOfTenant,
  filesOfTenant,
  accountsOfTenant,
  ssoOfTenant,
  entitlementsOfTenant,
  keysOfTenant,
];
