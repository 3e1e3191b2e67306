import type { Tenant } from "@turnpike/contract/tenants";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { findTenantRow } from "./tenants.store.ts";
import { replyWithPlan, type WithPlans } from "./to-tenant-reply.ts";

/** @throws {AppError} `RESOURCE_NOT_FOUND`, also for a tenant that the actor may not see. */
export async function getTenant(
  deps: AppServices & WithPlans,
  context: CallContext,
  input: { tenantId: TenantId },
): Promise<Tenant> {
  assertMayInTenant(context.actor, "tenants:read", input.tenantId);
  return await deps.transact.asTenant(input.tenantId, async (tx) => {
    const row = await findTenantRow(tx, input.tenantId);
    if (row === undefined) {
      throw resourceNotFound("tenant");
    }
    return await replyWithPlan(deps, tx, { row, actor: context.actor });
  });
}
