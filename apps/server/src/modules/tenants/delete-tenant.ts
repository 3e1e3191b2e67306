import type { DeleteTenantRequest } from "@turnpike/contract/tenants";
import { isRetryableError } from "@turnpike/db/database-errors";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import {
  lockOpenTenantRow,
  markTenantDeleted,
  publishMembers,
  revokeOpenInvitationRows,
} from "./deleted-tenants.store.ts";
import { toHeldRole } from "./held-role.ts";
import { findMemberRow } from "./members.store.ts";
import type { TenantResource } from "./tenants.ports.ts";
import { publishTenant } from "./tenants.store.ts";
import { getTenantPlan, toTenantEvent, type WithPlans } from "./to-tenant-reply.ts";

export type PurgeDeps = AppServices & {
  /** In the order in which they end. Keys come last: publishing their changes takes the lock of the change feed. */
  resources: readonly TenantResource[];
};

export type DeleteTenantDeps = PurgeDeps & WithPlans;

/** Other transactions lock the same rows in another order. On a deadlock the database ends one of the two, which tries again. */
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
 * Deletes a tenant in one transaction. Only operators who ask for deleted tenants still see it. Every process stops knowing
 * its keys within a second. Its usage stays in the ledger, and usage under way is still added.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, also when it is already deleted; `INVALID_REQUEST` (name); `INSUFFICIENT_SCOPE`.
 */
export async function deleteTenant(
  deps: DeleteTenantDeps,
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
  deps: DeleteTenantDeps,
  context: CallContext,
  { tenantId, name }: DeleteTenantRequest,
): Promise<void> {
  const { actor } = context;
  const now = deps.clock.now();
  await deps.transact.asOperatorWithDeleted(
    async (tx) => {
      const row = await lockOpenTenantRow(tx, tenantId);
      if (row === undefined) {
        throw resourceNotFound("tenant");
      }
      if (actor.type === "user" && !actor.isOperator) {
        // The role in the session may be a second old.
        const own = await findMemberRow(tx, tenantId, actor.id);
        const roles = own === undefined ? [] : ([[tenantId, toHeldRole(own)]] as const);
        assertMayInTenant({ ...actor, roles: new Map(roles) }, "tenants:delete", tenantId);
      }
      if (name !== row.name) {
        throw wrongName();
      }
      await revokeOpenInvitationRows(tx, tenantId, now);
      await publishEvent(deps, tx, {
        tenantId,
        type: "tenant.deleted",
        data: { tenant: toTenantEvent(row, await getTenantPlan(deps, tx, tenantId)) },
      });
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "tenant.deleted",
        entityType: "tenant",
        entityId: tenantId,
        details: { name: row.name, slug: row.slug, externalId: row.external_id },
      });
      await markTenantDeleted(tx, tenantId, { now, deletedBy: `${actor.type}:${actor.id}` });
      for (const resource of deps.resources) {
        await resource.close?.(tx, { tenantId, now });
      }
      await publishTenant(tx, tenantId);
      await publishMembers(tx, tenantId);
    },
    { holder: tenantId },
  );
}
