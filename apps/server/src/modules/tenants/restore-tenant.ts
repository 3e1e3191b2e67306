import { RESTORE_DAYS, type Tenant } from "@turnpike/contract/tenants";
import type { Tx } from "@turnpike/db/client";
import { isUniqueViolation } from "@turnpike/db/database-errors";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { slugsToTry } from "@turnpike/domain/ids/slug";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import {
  type DeletedTenantRow,
  deleteGoneMembers,
  isNameTaken,
  lockDeletedTenantRow,
  markTenantRestored,
  publishMembers,
} from "./deleted-tenants.store.ts";
import { restorableUntil } from "./restorable-until.ts";
import { publishTenant } from "./tenants.store.ts";
import { getTenantPlan, toTenantEvent, toTenantReply, type WithPlans } from "./to-tenant-reply.ts";

function conflict(publicMessage: string, cause?: unknown): AppError {
  return new AppError({ code: "CONFLICT", publicMessage, cause });
}

async function findFreeSlug(tx: Tx, { slug, tenant_id }: DeletedTenantRow): Promise<string> {
  for (const candidate of slugsToTry(slug, tenant_id)) {
    if (!(await isNameTaken(tx, { slug: candidate }))) {
      return candidate;
    }
  }
  throw conflict("Other tenants have its slug and all similar ones. Rename one of them first.");
}

function assertRestorable(row: DeletedTenantRow, now: Date): void {
  if (row.purged_at !== null || now >= restorableUntil(row.deleted_at)) {
    throw conflict(
      `The tenant could be restored for ${String(RESTORE_DAYS)} days. Its data is removed.`,
    );
  }
}

/**
 * Restores a deleted tenant. Its members have access again on every process within a second. Keys and invitations stay
 * revoked, webhooks disabled. A slug that another tenant has taken meanwhile gets a number.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` unless deleted; `CONFLICT` when it is too late or another tenant has its
 *   external id; `INSUFFICIENT_SCOPE`.
 */
export async function restoreTenant(
  deps: AppServices & WithPlans,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<Tenant> {
  assertMay(context.actor, "tenants:delete");
  const now = deps.clock.now();
  try {
    return await deps.transact.asOperatorWithDeleted(async (tx) => {
      const before = await lockDeletedTenantRow(tx, tenantId);
      if (before === undefined) {
        throw resourceNotFound("tenant");
      }
      assertRestorable(before, now);
      const externalId = before.external_id;
      if (externalId !== null && (await isNameTaken(tx, { externalId }))) {
        throw conflict(
          `Another tenant now has its external id, ${externalId}. Usage reported under that id would change hands.`,
        );
      }
      const slug = await findFreeSlug(tx, before);
      const row = await markTenantRestored(tx, tenantId, { slug, now });
      if (row === undefined) {
        throw resourceNotFound("tenant");
      }
      const plan = await getTenantPlan(deps, tx, tenantId);
      for (const userId of await deleteGoneMembers(tx, tenantId)) {
        await writeAudit(deps, tx, context, {
          ...{ tenantId, action: "member.removed", entityType: "member", entityId: userId },
          details: { why: "account_deleted" },
        });
      }
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "tenant.restored",
        entityType: "tenant",
        entityId: tenantId,
        details: { slug: [before.slug, slug], deletedAt: before.deleted_at.toISOString() },
      });
      await publishEvent(deps, tx, {
        tenantId,
        type: "tenant.restored",
        data: { tenant: toTenantEvent(row, plan) },
      });
      await publishTenant(tx, tenantId);
      await publishMembers(tx, tenantId);
      return toTenantReply({ row, plan }, context.actor);
    });
  } catch (error) {
    if (isUniqueViolation(error)) {
      throw conflict(
        "Another tenant has just taken its slug or its external id. Try again.",
        error,
      );
    }
    throw error;
  }
}
