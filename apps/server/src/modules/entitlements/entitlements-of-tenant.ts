import type { TenantResource } from "#modules/tenants/index.ts";
import { deleteEntitlement } from "./entitlements.store.ts";

/** Plan, period and standing of a deleted tenant stay until it can no longer be restored. */
export const entitlementsOfTenant: TenantResource = {
  forget: (tx, { tenantId }) => deleteEntitlement(tx, tenantId),
};
