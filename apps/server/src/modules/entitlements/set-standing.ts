import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { Standing } from "@turnpike/domain/entitlements/standing";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { lockEntitlement, updateStanding } from "./entitlements.store.ts";

export type SetStandingInput = { tenantId: TenantId; standing: Standing };

/**
 * Sets the payment standing of a tenant. `blocked` and `capped` refuse its calls on every process within a second;
 * any other standing lets them through again as fast. Setting the standing that the tenant has changes nothing.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`.
 */
export async function setStanding(
  deps: AppServices,
  context: CallContext,
  input: SetStandingInput,
): Promise<void> {
  await deps.transact.asOperator((tx) => setStandingWithin(deps, tx, context, input));
}

/** {@link setStanding} as part of the caller's transaction, which must be one of the operator role. */
export async function setStandingWithin(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  { tenantId, standing }: SetStandingInput,
): Promise<void> {
  assertMay(context.actor, "tenants:write");
  const before = await lockEntitlement(tx, tenantId);
  if (before === undefined) {
    throw resourceNotFound("tenant");
  }
  if (before.standing === standing) {
    return;
  }
  await updateStanding(tx, tenantId, { standing, now: deps.clock.now() });
  await writeAudit(deps, tx, context, {
    tenantId,
    action: "tenant.standing_changed",
    entityType: "tenant",
    entityId: tenantId,
    details: { standing: [before.standing, standing] },
  });
  await insertChange(tx, { kind: "tenant", tenantId, entityId: tenantId });
}
