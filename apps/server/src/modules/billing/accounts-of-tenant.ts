import type { TenantResource } from "#modules/tenants/index.ts";
import { deleteAccounts } from "./accounts/accounts.store.ts";
import { deleteCreditAlerts } from "./credits/credit-alerts.store.ts";
import { deleteAutomaticTopUps } from "./credits/credits.store.ts";
import { deleteBillingDetails } from "./details/billing-details.store.ts";
import { deleteDocumentsToMail } from "./documents/mail/documents-to-mail.store.ts";
import { deleteMethods } from "./payments/methods.store.ts";
import { endRevenue } from "./revenue/revenue-changes.store.ts";
import { deleteSpendCap } from "./spend-cap/spend-caps.store.ts";

/**
 * Nothing is charged while a tenant is deleted. Invoices and credit notes stay when its data is removed, because the law asks for
 * them.
 */
export const accountsOfTenant: TenantResource = {
  close: endRevenue,
  forget: async (tx, { tenantId }) =>
    (await deleteAccounts(tx, tenantId)) +
    (await deleteBillingDetails(tx, tenantId)) +
    (await deleteDocumentsToMail(tx, tenantId)) +
    (await deleteMethods(tx, tenantId)) +
    (await deleteAutomaticTopUps(tx, { tenantId })) +
    (await deleteCreditAlerts(tx, tenantId)) +
    (await deleteSpendCap(tx, tenantId)),
};
