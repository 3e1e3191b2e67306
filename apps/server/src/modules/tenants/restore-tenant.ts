import { type DeletedTenant, RESTORE_DAYS, type Tenant } from "@turnpike/contract/tenants";
import type { Tx } from "@turnpike/db/client";
import { isUniqueViolation } from "@turnpike/db/database-errors";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { isId, type TenantId } from "@turnpike/domain/ids/ids";
import { slugsToTry } from "@turnpike/domain/ids/slug";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import {
  type DeletedPlace,
  type DeletedTenantRow,
  isNameTaken,
  listDeletedTenantRows,
  lockDeletedTenantRow,
  markTenantRestored,
  publishMembers,
} from "./deleted-tenants.store.ts";
import { publishTenant } from "./tenants.store.ts";
import { getTenantPlan, toTenantEvent, toTenantReply, type WithPlans } from "./to-tenant-reply.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The instant from which on a tenant that was deleted then is not restored any more. */
export function restorableUntil(deletedAt: Date): Date {
  return new Date(deletedAt.getTime() + RESTORE_DAYS * DAY_MS);
}

function toDeletedReply(row: DeletedTenantRow): DeletedTenant {
  return {
    tenantId: row.tenant_id,
    name: row.name,
    slug: row.slug,
    externalId: row.external_id,
    deletedAt: row.deleted_at.toISOString(),
    deletedBy: row.deleted_by,
    restorableUntil: restorableUntil(row.deleted_at).toISOString(),
    purgedAt: row.purged_at?.toISOString() ?? null,
  };
}

function toCursor({ tenant_id, deleted_at }: DeletedTenantRow): string {
  return `${tenant_id}:${String(deleted_at.getTime())}`;
}

function toPlace(cursor: string): DeletedPlace | undefined {
  const [tenantId = "", deletedAtMs = ""] = cursor.split(":");
  return isId("tenant", tenantId) && /^\d{1,15}$/.test(deletedAtMs)
    ? { tenantId, deletedAt: new Date(Number(deletedAtMs)) }
    : undefined;
}

/** Lists deleted tenants, the last deleted first, those without data any more included. For operators. */
export async function listDeletedTenants(
  deps: AppServices,
  context: CallContext,
  input: { cursor?: string | undefined; limit: number },
): Promise<{ items: DeletedTenant[]; nextCursor: string | null }> {
  assertMay(context.actor, "tenants:read");
  const before = parseCursor(input.cursor, toPlace);
  const rows = await deps.transact.asOperatorWithDeleted((tx) =>
    listDeletedTenantRows(tx, { before, limit: input.limit + 1 }),
  );
  const shown = rows.slice(0, input.limit);
  const last = shown.at(-1);
  const isMore = rows.length > input.limit && last !== undefined;
  return { items: shown.map(toDeletedReply), nextCursor: isMore ? toCursor(last) : null };
}

function conflict(publicMessage: string, cause?: unknown): AppError {
  return new AppError({ code: "CONFLICT", publicMessage, cause });
}

async function findFreeSlug(tx: Tx, { slug, tenant_id }: DeletedTenantRow): Promise<string> {
  for (const candidate of slugsToTry(slug, tenant_id)) {
    if (!(await isNameTaken(tx, { slug: candidate }))) {
      return candidate;
    }
  }
  throw conflict("Other tenants have its slug and all that are like it: rename one of them first.");
}

function assertRestorable(row: DeletedTenantRow, now: Date): void {
  if (row.purged_at !== null || now >= restorableUntil(row.deleted_at)) {
    throw conflict(
      `The ${String(RESTORE_DAYS)} days in which the tenant could be restored are over: its data is removed.`,
    );
  }
}

/**
 * Restores a deleted tenant: its members are back, on every process within a second. Keys stay revoked, invitations
 * withdrawn, webhooks disabled. A slug that another tenant has taken meanwhile gets an ending.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` for what is not deleted; `CONFLICT` when it is too late or another tenant has its
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
          `Another tenant has its external id, ${externalId}: usage reported by that name would change hands.`,
        );
      }
      const slug = await findFreeSlug(tx, before);
      const row = await markTenantRestored(tx, tenantId, { slug, now });
      if (row === undefined) {
        throw resourceNotFound("tenant");
      }
      const plan = await getTenantPlan(deps, tx, tenantId);
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
