import type { KeyScopes } from "@turnpike/contract/key-bulk";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { findEntitlement } from "#modules/entitlements/index.ts";
import type { AppServices } from "#platform/app-services.ts";

/**
 * Lists the scopes that keys of a tenant may have, by the version of the plan that the tenant is on.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant).
 */
export async function listKeyScopes(
  deps: AppServices,
  context: CallContext,
  input: { tenantId: TenantId },
): Promise<KeyScopes> {
  assertMayInTenant(context.actor, "keys:read", input.tenantId);
  const entitlement = await deps.transact.asTenant(input.tenantId, (tx) =>
    findEntitlement(tx, input.tenantId),
  );
  if (entitlement === undefined) {
    throw resourceNotFound("tenant");
  }
  return { management: [...TENANT_KEY_SCOPES], custom: [...(entitlement.terms.scopes ?? [])] };
}
