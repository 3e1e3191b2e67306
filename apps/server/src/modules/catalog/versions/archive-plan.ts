import type { Plan } from "@turnpike/contract/catalog";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { findPlanRow, lockCatalog, setArchived } from "../catalog.store.ts";
import { toPlanReply } from "../list-plans.ts";

async function setOffered(
  deps: AppServices,
  context: CallContext,
  { planId, isOffered }: { planId: string; isOffered: boolean },
): Promise<Plan> {
  assertMay(context.actor, "catalog:write");
  return await deps.transact.asOperator(async (tx) => {
    await lockCatalog(tx);
    const row = await findPlanRow(tx, planId);
    if (row === undefined) {
      throw resourceNotFound("plan");
    }
    if ((row.archived_at === null) === isOffered) {
      return toPlanReply(row);
    }
    if (row.is_default) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: "New tenants get this plan: choose another default plan first.",
      });
    }
    const archivedAt = isOffered ? null : deps.clock.now();
    await setArchived(tx, planId, archivedAt);
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: isOffered ? "plan.restored" : "plan.archived",
      entityType: "plan",
      entityId: planId,
    });
    return toPlanReply({ ...row, archived_at: archivedAt });
  });
}

/**
 * Archives a plan: it is offered to no one, and its subscribers keep it. Archived again, it stays as it is.
 *
 * @throws {AppError} `CONFLICT` for the default plan; `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`.
 */
export async function archivePlan(
  deps: AppServices,
  context: CallContext,
  { planId }: { planId: string },
): Promise<Plan> {
  return await setOffered(deps, context, { planId, isOffered: false });
}

/** Offers an archived plan again. @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export async function restorePlan(
  deps: AppServices,
  context: CallContext,
  { planId }: { planId: string },
): Promise<Plan> {
  return await setOffered(deps, context, { planId, isOffered: true });
}
