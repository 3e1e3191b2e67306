import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import { findTenantEvent } from "#modules/tenants/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { type Assignment, lockEntitlement, updateAssignment } from "./entitlements.store.ts";

/**
 * Gives a tenant the plan, limits and periods that its subscription has now. Every process applies them within a second. Part of the
 * caller's transaction, which must be one of the operator role and decides who may do this. A tenant that is gone, or has them
 * already, stays as it is.
 */
export async function assignPlanWithin(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  { tenantId, ...assignment }: Assignment & { tenantId: TenantId },
): Promise<void> {
  const before = await lockEntitlement(tx, tenantId);
  if (before === undefined) {
    return;
  }
  const { plan, periodAnchor } = assignment;
  if (!(await updateAssignment(tx, tenantId, { ...assignment, now: deps.clock.now() }))) {
    return;
  }
  if (before.planId !== plan.planId || before.planVersion !== plan.version) {
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "tenant.updated",
      entityType: "tenant",
      entityId: tenantId,
      details: {
        ...(before.planId === plan.planId ? {} : { plan_id: [before.planId, plan.planId] }),
        plan_version: [before.planVersion, plan.version],
      },
    });
    const tenant = await findTenantEvent(tx, tenantId, {
      planId: plan.planId,
      planVersion: plan.version,
      periodAnchor,
    });
    if (tenant !== undefined) {
      await publishEvent(deps, tx, {
        tenantId,
        type: "tenant.plan_changed",
        data: {
          tenant,
          before: { planId: before.planId, planVersion: before.planVersion },
        },
      });
    }
  }
  await insertChange(tx, { kind: "tenant", tenantId, entityId: tenantId });
}
