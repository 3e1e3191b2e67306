import type { TenantResource } from "#modules/tenants/index.ts";
import { deleteEntitlement } from "./entitlements.store.ts";
import { deleteSpendBudget } from "./spend-budgets.store.ts";

/** Plan, period, standing and budget of a deleted tenant stay until it can no longer be restored. */
export const entitlementsOfTenant: TenantResource = {
  forget: async (tx, { tenantId }) =>
    (await deleteEntitlement(tx, tenantId)) + (await deleteSpendBudget(tx, { tenantId })),
};
