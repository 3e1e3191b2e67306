import type { TenantResource } from "#modules/tenants/index.ts";
import { deleteAccounts } from "./accounts/accounts.store.ts";

/**
 * Nothing is charged while a tenant is deleted. Invoices and credit notes stay when its data is removed, because the law asks for
 * them.
 */
export const accountsOfTenant: TenantResource = {
  forget: (tx, { tenantId }) => deleteAccounts(tx, tenantId),
};
