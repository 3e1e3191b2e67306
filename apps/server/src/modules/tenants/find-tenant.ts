import type { Tenant } from "@turnpike/contract/tenants";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { isId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { getTenant } from "./get-tenant.ts";
import { findTenantRowByExternalId, findTenantRowBySlug } from "./tenants.store.ts";
import { replyWithPlan, type WithPlans } from "./to-tenant-reply.ts";

/**
 * Gets a tenant by its id or its slug. No slug looks like an id, which has an underscore.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE` for a slug, unless the actor is the operator's.
 */
export async function getTenantByName(
  deps: AppServices & WithPlans,
  context: CallContext,
  input: { idOrSlug: string },
): Promise<Tenant> {
  if (isId("tenant", input.idOrSlug)) {
    return await getTenant(deps, context, { tenantId: input.idOrSlug });
  }
  assertMay(context.actor, "tenants:read");
  return await deps.transact.asOperator(async (tx) => {
    const row = await findTenantRowBySlug(tx, input.idOrSlug);
    if (row === undefined) {
      throw resourceNotFound("tenant");
    }
    return await replyWithPlan(deps, tx, { row, actor: context.actor });
  });
}

/** Finds the tenant that the operator knows by `externalId`; `undefined` when there is none. */
export async function findTenantByExternalId(
  deps: AppServices & WithPlans,
  context: CallContext,
  input: { externalId: string },
): Promise<Tenant | undefined> {
  assertMay(context.actor, "tenants:read");
  return await deps.transact.asOperator(async (tx) => {
    const row = await findTenantRowByExternalId(tx, input.externalId);
    return row && (await replyWithPlan(deps, tx, { row, actor: context.actor }));
  });
}
