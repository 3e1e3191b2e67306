import { alertsOfTenant } from "#modules/alerts/index.ts";
import { exportsOfTenant } from "#modules/analytics/index.ts";
import { documentsOfTenant } from "#modules/documents/index.ts";
import { filesOfTenant } from "#modules/files/index.ts";
import { keysOfTenant } from "#modules/keys/index.ts";
import { noticesOfTenant } from "#modules/notifications/index.ts";
import type { TenantPart } from "#modules/tenants/index.ts";

/** What modules have of a tenant, in the order in which it is ended: keys last, because every process is told of them. */
export const TENANT_PARTS: readonly TenantPart[] = [
  noticesOfTenant,
  exportsOfTenant,
  alertsOfTenant,
  documentsOfTenant,
  filesOfTenant,
  keysOfTenant,
];
