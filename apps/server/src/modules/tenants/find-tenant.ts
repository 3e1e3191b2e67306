import type { Tenant } from "@turnpike/contract/tenants";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { isId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { getTenant } from "./get-tenant.ts";
import { findTenantRowByExternalId, findTenantRowBySlug } from "./tenants.store.ts";
import { toTenantReply } from "./to-tenant-reply.ts";

/**
 * Gets a tenant by what people call it: its id or its slug. No slug looks like an id, which has an underscore.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` for a slug asked by anybody but the operator's actors.
 */
export async function getTenantByName(
  deps: AppServices,
  context: CallContext,
  input: { idOrSlug: string },
): Promise<Tenant> {
  if (isId("tenant", input.idOrSlug)) {
    return await getTenant(deps, context, { tenantId: input.idOrSlug });
  }
  assertMay(context.actor, "tenants:read");
  const row = await deps.transact.asOperator((tx) => findTenantRowBySlug(tx, input.idOrSlug));
  if (row === undefined) {
    throw resourceNotFound("tenant");
  }
  return toTenantReply(row, context.actor);
}

/** Finds the tenant that the operator knows by `externalId`; `undefined` when there is none. */
export async function findTenantByExternalId(
  deps: AppServices,
  context: CallContext,
  input: { externalId: string },
): Promise<Tenant | undefined> {
  assertMay(context.actor, "tenants:read");
  const row = await deps.transact.asOperator((tx) =>
    findTenantRowByExternalId(tx, input.externalId),
  );
  return row === undefined ? undefined : toTenantReply(row, context.actor);
}
