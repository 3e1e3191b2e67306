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
import type { ToldChange } from "./change-notice.ts";
import { type TellDeps, tellOfChange } from "./tell-of-change.ts";
import type { TenantPlan } from "./tenants.ports.ts";
import { findTenantRow, publishTenant, type TenantRow, updateTenantRow } from "./tenants.store.ts";
import { getTenantPlan, toTenantEvent, toTenantReply, type WithPlans } from "./to-tenant-reply.ts";

export type UpdateTenantDeps = TellDeps & WithPlans;

type Change = Pick<TenantRow, "name" | "slug" | "suspended_at" | "suspension_reason">;

function decideChange(row: TenantRow, input: UpdateTenantRequest, now: Date): Change {
  const isSuspended = input.suspended ?? row.suspended_at !== null;
  if (input.suspensionReason !== undefined && !isSuspended) {
    const message = "A tenant that is not suspended has no reason for it.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/suspensionReason", message }],
    });
  }
  return {
    name: input.name ?? row.name,
    slug: input.slug ?? row.slug,
    suspended_at: isSuspended ? (row.suspended_at ?? now) : null,
    suspension_reason: isSuspended ? (input.suspensionReason ?? row.suspension_reason) : null,
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
  if (after.suspension_reason !== null && before.suspension_reason !== after.suspension_reason) {
    details["reason"] = after.suspension_reason;
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
  if (isOfOperator(input)) {
    assertMay(actor, "tenants:write");
  }
}

function isOfOperator(input: UpdateTenantRequest): boolean {
  return (
    input.planId !== undefined ||
    input.suspended !== undefined ||
    input.suspensionReason !== undefined
  );
}

async function toPlanChange(
  { plans }: WithPlans,
  tx: Tx,
  { before, after }: { before: TenantPlan; after: TenantPlan },
): Promise<ToldChange | undefined> {
  return before.planId === after.planId && before.planVersion === after.planVersion
    ? undefined
    : {
        kind: "plan_changed",
        before: await plans.nameOf(tx, before),
        after: await plans.nameOf(tx, after),
      };
}

/** Of a reason that changes while the tenant stays suspended members hear as well. */
function listToldChanges(
  { before, after }: { before: TenantRow; after: TenantRow },
  plan: ToldChange | undefined,
): ToldChange[] {
  const isNewlySuspended =
    after.suspended_at !== null &&
    (before.suspended_at === null || before.suspension_reason !== after.suspension_reason);
  return [
    ...(isNewlySuspended ? [{ kind: "suspended", reason: after.suspension_reason } as const] : []),
    ...(before.suspended_at !== null && after.suspended_at === null
      ? [{ kind: "resumed" } as const]
      : []),
    ...(plan === undefined ? [] : [plan]),
  ];
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
    // A tenant's own role may neither write its plan nor notify its members.
    return await (isOfOperator(input)
      ? deps.transact.asOperator(update, { holder: input.tenantId })
      : deps.transact.asTenant(input.tenantId, update));
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
  const planBefore = planId === undefined ? undefined : await getTenantPlan(deps, tx, tenantId);
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
  const planChange =
    planBefore && (await toPlanChange(deps, tx, { before: planBefore, after: plan }));
  for (const change of listToldChanges({ before, after }, planChange)) {
    await tellOfChange(deps, tx, { tenantId, change });
  }
  return toTenantReply({ row: after, plan }, context.actor);
}
