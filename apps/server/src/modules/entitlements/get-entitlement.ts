import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { findEntitlement } from "./entitlements.store.ts";

/**
 * Gets what a tenant may do now.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`.
 */
export async function getEntitlement(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<Entitlement> {
  assertMayInTenant(context.actor, "tenants:read", tenantId);
  const entitlement = await deps.transact.asTenant(tenantId, (tx) => findEntitlement(tx, tenantId));
  if (entitlement === undefined) {
    throw resourceNotFound("tenant");
  }
  return entitlement;
}
