import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { findSuspension } from "./live-calls.store.ts";

/** True for a tenant that exists and is not suspended. */
export async function isTenantOpen(
  deps: Pick<AppServices, "transact">,
  tenantId: TenantId,
): Promise<boolean> {
  const found = await deps.transact.asTenant(tenantId, (tx) => findSuspension(tx, tenantId));
  return found?.isSuspended === false;
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`; `TENANT_SUSPENDED`: all calls of such a tenant are blocked. */
export async function assertTenantOpen(
  deps: Pick<AppServices, "transact">,
  tenantId: TenantId,
): Promise<void> {
  const found = await deps.transact.asTenant(tenantId, (tx) => findSuspension(tx, tenantId));
  if (found === undefined) {
    throw resourceNotFound("tenant");
  }
  if (found.isSuspended) {
    throw new AppError({
      code: "TENANT_SUSPENDED",
      publicMessage: "The tenant is suspended: all its calls are blocked.",
    });
  }
}
