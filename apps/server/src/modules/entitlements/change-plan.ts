import type { Tx } from "@turnpike/db/client";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { findPlanVersion } from "#modules/catalog/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import { findTenantEvent } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { lockEntitlement, updatePlan } from "./entitlements.store.ts";

export type ChangePlanInput = { tenantId: TenantId; planId: string };

function refused(message: string): AppError {
  return new AppError({
    code: "INVALID_REQUEST",
    publicMessage: message,
    errors: [{ pointer: "/planId", message }],
  });
}

/**
 * The newest version of a plan that a tenant may be given, or of the default plan.
 *
 * @param currentPlanId - The plan that the tenant has, which it may keep when it is archived.
 * @throws {AppError} `INVALID_REQUEST` when there is no such plan, it is archived, or it is an add-on.
 */
export async function getPlanVersion(
  tx: Tx,
  planId: string | undefined,
  currentPlanId?: string,
): Promise<{ planId: string; version: number }> {
  const plan = await findPlanVersion(tx, planId);
  if (plan === undefined) {
    throw refused("There is no such plan.");
  }
  if (plan.isAddOn) {
    throw refused("This is an add-on, which is bought beside a plan: choose a plan.");
  }
  if (plan.isArchived && plan.planId !== currentPlanId) {
    throw refused("This plan is archived: choose another one, or restore it.");
  }
  return { planId: plan.planId, version: plan.version };
}

function describeChange(before: Entitlement, plan: { planId: string; version: number }) {
  return {
    ...(before.planId === plan.planId ? {} : { plan_id: [before.planId, plan.planId] }),
    ...(before.planVersion === plan.version
      ? {}
      : { plan_version: [before.planVersion, plan.version] }),
  };
}

/**
 * Moves a tenant to the newest version of a plan. Every process applies the new limits within a second; usage of the
 * current period still counts. A tenant that is on that version already stays as it is.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INVALID_REQUEST` (plan), `INSUFFICIENT_SCOPE`.
 */
export async function changePlan(
  deps: AppServices,
  context: CallContext,
  input: ChangePlanInput,
): Promise<void> {
  await deps.transact.asOperator((tx) => changePlanWithin(deps, tx, context, input));
}

/** {@link changePlan} as part of the caller's transaction, which must be one of the operator role. */
export async function changePlanWithin(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  { tenantId, planId }: ChangePlanInput,
): Promise<void> {
  assertMay(context.actor, "tenants:write");
  const before = await lockEntitlement(tx, tenantId);
  if (before === undefined) {
    throw resourceNotFound("tenant");
  }
  const plan = await getPlanVersion(tx, planId, before.planId);
  if (before.planId === plan.planId && before.planVersion === plan.version) {
    return;
  }
  await updatePlan(tx, tenantId, { plan, now: deps.clock.now() });
  await writeAudit(deps, tx, context, {
    tenantId,
    action: "tenant.updated",
    entityType: "tenant",
    entityId: tenantId,
    details: describeChange(before, plan),
  });
  const tenant = await findTenantEvent(tx, tenantId, {
    planId: plan.planId,
    planVersion: plan.version,
    periodAnchor: before.periodAnchor,
  });
  if (tenant === undefined) {
    throw resourceNotFound("tenant");
  }
  await publishEvent(deps, tx, {
    tenantId,
    type: "tenant.plan_changed",
    data: { tenant, before: { planId: before.planId, planVersion: before.planVersion } },
  });
  await insertChange(tx, { kind: "tenant", tenantId, entityId: tenantId });
}
