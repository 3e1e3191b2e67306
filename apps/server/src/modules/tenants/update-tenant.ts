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
import { emitEvent } from "#modules/notifications/index.ts";
import { type CreateTenantDeps, unknownPlan } from "./create-tenant.ts";
import {
  announceTenant,
  findTenantRow,
  lockTenant,
  type TenantRow,
  updateTenantRow,
} from "./tenants.store.ts";
import { toTenantEvent, toTenantReply } from "./to-tenant-reply.ts";

type Change = Pick<TenantRow, "name" | "slug" | "plan_id" | "plan_version" | "suspended_at">;

async function decideChange(
  deps: CreateTenantDeps,
  tx: Tx,
  row: TenantRow,
  input: UpdateTenantRequest,
): Promise<Change> {
  const plan =
    input.planId === undefined
      ? { planId: row.plan_id, version: row.plan_version }
      : await deps.plans.findPlan(tx, input.planId);
  if (plan === undefined) {
    throw unknownPlan();
  }
  const suspendedAt = input.suspended ? (row.suspended_at ?? deps.clock.now()) : null;
  return {
    name: input.name ?? row.name,
    slug: input.slug ?? row.slug,
    plan_id: plan.planId,
    plan_version: plan.version,
    suspended_at: input.suspended === undefined ? row.suspended_at : suspendedAt,
  };
}

function describeChange(before: TenantRow, after: Change): Record<string, JsonValue> {
  const details: Record<string, JsonValue> = {};
  for (const field of ["name", "slug", "plan_id", "plan_version"] as const) {
    if (before[field] !== after[field]) {
      details[field] = [before[field], after[field]];
    }
  }
  if ((before.suspended_at === null) !== (after.suspended_at === null)) {
    details["suspended"] = [before.suspended_at !== null, after.suspended_at !== null];
  }
  return details;
}

/** Each kind of change is an event of its own: what a receiver does about another plan is not what it does about a name. */
async function emitChange(
  deps: CreateTenantDeps,
  tx: Tx,
  { before, after }: { before: TenantRow; after: TenantRow },
): Promise<void> {
  const tenantId = after.tenant_id;
  const tenant = toTenantEvent(after);
  if (before.name !== after.name || before.slug !== after.slug) {
    await emitEvent(deps, tx, { tenantId, type: "tenant.updated", data: { tenant } });
  }
  if (before.plan_id !== after.plan_id || before.plan_version !== after.plan_version) {
    const was = { planId: before.plan_id, planVersion: before.plan_version };
    const data = { tenant, before: was };
    await emitEvent(deps, tx, { tenantId, type: "tenant.plan_changed", data });
  }
  if ((before.suspended_at === null) !== (after.suspended_at === null)) {
    const type = after.suspended_at === null ? "tenant.resumed" : "tenant.suspended";
    await emitEvent(deps, tx, { tenantId, type, data: { tenant } });
  }
}

/** Plan and suspension decide what the operator is paid: no role inside the tenant reaches them. */
function assertMayUpdate(actor: Actor, input: UpdateTenantRequest): void {
  assertMayInTenant(actor, "tenants:write", input.tenantId);
  if (input.planId !== undefined || input.suspended !== undefined) {
    assertMay(actor, "tenants:write");
  }
}

/**
 * Changes a tenant. A new plan takes effect on every process within a second; what was used of the period stays used.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `ALREADY_EXISTS` (slug), `INVALID_REQUEST` (plan), `INSUFFICIENT_SCOPE`.
 */
export async function updateTenant(
  deps: CreateTenantDeps,
  context: CallContext,
  input: UpdateTenantRequest,
): Promise<Tenant> {
  assertMayUpdate(context.actor, input);
  try {
    return await deps.transact.asTenant(input.tenantId, async (tx) => {
      await lockTenant(tx, input.tenantId);
      const before = await findTenantRow(tx, input.tenantId);
      if (before === undefined) {
        throw resourceNotFound("tenant");
      }
      const change = await decideChange(deps, tx, before, input);
      const after = await updateTenantRow(tx, {
        ...change,
        tenant_id: input.tenantId,
        now: deps.clock.now(),
      });
      if (after === undefined) {
        throw resourceNotFound("tenant");
      }
      await writeAudit(deps, tx, context, {
        tenantId: input.tenantId,
        action: "tenant.updated",
        entityType: "tenant",
        entityId: input.tenantId,
        details: describeChange(before, change),
      });
      await emitChange(deps, tx, { before, after });
      await announceTenant(tx, input.tenantId);
      return toTenantReply(after, context.actor);
    });
  } catch (error) {
    if (isUniqueViolation(error)) {
      const message = "Another tenant has this slug: choose a different one.";
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
