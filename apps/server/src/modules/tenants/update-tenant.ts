import type { Tenant, UpdateTenantRequest } from "@turnpike/contract/tenants";
import type { JsonValue, Tx } from "@turnpike/db/client";
import { isUniqueViolation } from "@turnpike/db/database-errors";
import {
  type Actor,
  assertMay,
  assertMayInTenant,
  type CallContext,
} from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import type { TenantPlan } from "./tenants.ports.ts";
import { findTenantRow, publishTenant, type TenantRow, updateTenantRow } from "./tenants.store.ts";
import { getTenantPlan, toTenantEvent, toTenantReply, type WithPlans } from "./to-tenant-reply.ts";

export type UpdateTenantDeps = AppServices & WithPlans;

type Change = Pick<TenantRow, "name" | "slug" | "suspended_at">;

function decideChange(row: TenantRow, input: UpdateTenantRequest, now: Date): Change {
  const suspendedAt = input.suspended ? (row.suspended_at ?? now) : null;
  return {
    name: input.name ?? row.name,
    slug: input.slug ?? row.slug,
    suspended_at: input.suspended === undefined ? row.suspended_at : suspendedAt,
  };
}

function describeChange(before: TenantRow, after: Change): Record<string, JsonValue> {
  const details: Record<string, JsonValue> = {};
  for (const field of ["name", "slug"] as const) {
    if (before[field] !== after[field]) {
      details[field] = [before[field], after[field]];
    }
  }
  if ((before.suspended_at === null) !== (after.suspended_at === null)) {
    details["suspended"] = [before.suspended_at !== null, after.suspended_at !== null];
  }
  return details;
}

/** Publishes an event for each kind of change: a receiver treats a suspension differently from a new name. */
async function publishEvents(
  deps: AppServices,
  tx: Tx,
  { before, after, plan }: { before: TenantRow; after: TenantRow; plan: TenantPlan },
): Promise<void> {
  const tenantId = after.tenant_id;
  const tenant = toTenantEvent(after, plan);
  if (before.name !== after.name || before.slug !== after.slug) {
    await publishEvent(deps, tx, { tenantId, type: "tenant.updated", data: { tenant } });
  }
  if ((before.suspended_at === null) !== (after.suspended_at === null)) {
    const type = after.suspended_at === null ? "tenant.resumed" : "tenant.suspended";
    await publishEvent(deps, tx, { tenantId, type, data: { tenant } });
  }
}

/** Plan and suspension decide what the operator is paid, so no role inside the tenant may change them. */
function assertMayUpdate(actor: Actor, input: UpdateTenantRequest): void {
  assertMayInTenant(actor, "tenants:write", input.tenantId);
  if (input.planId !== undefined || input.suspended !== undefined) {
    assertMay(actor, "tenants:write");
  }
}

/**
 * Changes a tenant: all of the request or nothing. A new plan is a use case of its own, in the same transaction.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `ALREADY_EXISTS` (slug), `INVALID_REQUEST` (plan), `INSUFFICIENT_SCOPE`.
 */
export async function updateTenant(
  deps: UpdateTenantDeps,
  context: CallContext,
  input: UpdateTenantRequest,
): Promise<Tenant> {
  assertMayUpdate(context.actor, input);
  const update = (tx: Tx) => updateWithin(deps, tx, context, input);
  try {
    // A tenant's own role may not write its plan.
    return await (input.planId === undefined
      ? deps.transact.asTenant(input.tenantId, update)
      : deps.transact.asOperator(update, { holder: input.tenantId }));
  } catch (error) {
    if (isUniqueViolation(error)) {
      const message = "Another tenant has this slug. Choose a different one.";
      throw new AppError({
        code: "ALREADY_EXISTS",
        publicMessage: message,
        errors: [{ pointer: "/slug", message }],
        cause: error,
      });
    }
    throw error;
  }
}

async function updateWithin(
  deps: UpdateTenantDeps,
  tx: Tx,
  context: CallContext,
  input: UpdateTenantRequest,
): Promise<Tenant> {
  const { tenantId, planId } = input;
  const now = deps.clock.now();
  await lockTenant(tx, tenantId);
  const before = await findTenantRow(tx, tenantId);
  if (before === undefined) {
    throw resourceNotFound("tenant");
  }
  const change = decideChange(before, input, now);
  const after = await updateTenantRow(tx, { ...change, tenant_id: tenantId, now });
  if (after === undefined) {
    throw resourceNotFound("tenant");
  }
  if (planId !== undefined) {
    await deps.plans.change(deps, tx, context, { tenantId, planId });
  }
  const plan = await getTenantPlan(deps, tx, tenantId);
  const details = describeChange(before, change);
  // A change of plan alone has recorded and published itself.
  if (planId === undefined || Object.keys(details).length > 0) {
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "tenant.updated",
      entityType: "tenant",
      entityId: tenantId,
      details,
    });
    await publishEvents(deps, tx, { before, after, plan });
    await publishTenant(tx, tenantId);
  }
  return toTenantReply({ row: after, plan }, context.actor);
}
