import type { DeleteTenantRequest } from "@turnpike/contract/tenants";
import { isRetryableError } from "@turnpike/db/database-errors";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import { emitEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import {
  announceMembers,
  lockOpenTenantRow,
  markTenantDeleted,
  revokeOpenInvitationRows,
} from "./deleted-tenants.store.ts";
import { findMemberRow } from "./members.store.ts";
import type { TenantPart } from "./tenants.ports.ts";
import { announceTenant } from "./tenants.store.ts";
import { toTenantEvent } from "./to-tenant-reply.ts";

export type TenantEndDeps = AppServices & {
  /** In the order in which they are ended: keys last, because every process is told of them. */
  parts: readonly TenantPart[];
};

/** Others who change the same rows hold them in another order: then the database ends one of the two, and it tries again. */
const TRIES_MAX = 5;

function wrongName(): AppError {
  const message = "This is not the name of the tenant: type it exactly.";
  return new AppError({
    code: "INVALID_REQUEST",
    publicMessage: message,
    errors: [{ pointer: "/name", message }],
  });
}

/**
 * Deletes a tenant in one transaction. From then on it is not there for anybody but operators who ask for deleted ones;
 * its keys are unknown on every process within a second. What was used stays in the ledger, and what is under way is added.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, also when it is deleted already; `INVALID_REQUEST` (name); `INSUFFICIENT_SCOPE`.
 */
export async function deleteTenant(
  deps: TenantEndDeps,
  context: CallContext,
  input: DeleteTenantRequest,
): Promise<void> {
  assertMayInTenant(context.actor, "tenants:delete", input.tenantId);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await deleteOnce(deps, context, input);
      return;
    } catch (error) {
      if (attempt === TRIES_MAX || !isRetryableError(error)) {
        throw error;
      }
    }
  }
}

async function deleteOnce(
  deps: TenantEndDeps,
  context: CallContext,
  { tenantId, name }: DeleteTenantRequest,
): Promise<void> {
  const { actor } = context;
  const now = deps.clock.now();
  await deps.transact.asOperatorWithDeleted(async (tx) => {
    const row = await lockOpenTenantRow(tx, tenantId);
    if (row === undefined) {
      throw resourceNotFound("tenant");
    }
    if (actor.type === "user" && !actor.isOperator) {
      // The role that they came with may be a second old.
      const own = await findMemberRow(tx, tenantId, actor.id);
      const roles = own === undefined ? [] : ([[tenantId, own.role]] as const);
      assertMayInTenant({ ...actor, roles: new Map(roles) }, "tenants:delete", tenantId);
    }
    if (name !== row.name) {
      throw wrongName();
    }
    await revokeOpenInvitationRows(tx, tenantId, now);
    await emitEvent(deps, tx, {
      tenantId,
      type: "tenant.deleted",
      data: { tenant: toTenantEvent(row) },
    });
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "tenant.deleted",
      entityType: "tenant",
      entityId: tenantId,
      details: { name: row.name, slug: row.slug, externalId: row.external_id },
    });
    await markTenantDeleted(tx, tenantId, { now, deletedBy: `${actor.type}:${actor.id}` });
    for (const part of deps.parts) {
      await part.close?.(tx, { tenantId, now });
    }
    await announceTenant(tx, tenantId);
    await announceMembers(tx, tenantId);
  });
}
