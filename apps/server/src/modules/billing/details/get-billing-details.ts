import type { BillingDetails } from "@turnpike/contract/billing-details";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { findBillingDetails, NO_DETAILS } from "./billing-details.store.ts";
import { toBillingDetails } from "./change-details.ts";

/** Gets billing details; those of a tenant that has given none are empty. @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`. */
export async function getBillingDetails(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<BillingDetails> {
  assertMayInTenant(context.actor, "billing:read", tenantId);
  return await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    const found = await findBillingDetails(tx, tenantId);
    return toBillingDetails(tenantId, {
      details: found ?? NO_DETAILS,
      updatedAt: found?.updatedAt,
    });
  });
}
