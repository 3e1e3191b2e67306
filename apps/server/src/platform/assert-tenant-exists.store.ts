import type { Tx } from "@turnpike/db/client";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";

/**
 * Refuses a tenant that does not exist, or that is deleted unless the transaction sees deleted tenants. Any role may ask.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`.
 */
export async function assertTenantExists(tx: Tx, tenantId: string): Promise<void> {
  const rows = await tx`select 1 from tenants where tenant_id = ${tenantId}`;
  if (rows.length === 0) {
    throw resourceNotFound("tenant");
  }
}

/**
 * Keeps a tenant from being deleted until the end of the transaction, so that adding to it waits for nothing later on.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`.
 */
export async function keepTenant(tx: Tx, tenantId: string): Promise<void> {
  const rows = await tx`select 1 from tenants where tenant_id = ${tenantId} for key share`;
  if (rows.length === 0) {
    throw resourceNotFound("tenant");
  }
}

/**
 * Locks a tenant until the end of the transaction, so that changes of it, of its members and of what is counted for it take
 * turns. Adding to the tenant does not wait for this lock: it needs only that the row stays.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`.
 */
export async function lockTenant(tx: Tx, tenantId: string): Promise<void> {
  const rows = await tx`select 1 from tenants where tenant_id = ${tenantId} for no key update`;
  if (rows.length === 0) {
    throw resourceNotFound("tenant");
  }
}
