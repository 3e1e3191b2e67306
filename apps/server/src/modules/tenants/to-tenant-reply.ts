import type { OwnTenant } from "@turnpike/contract/auth";
import type { Member, Tenant } from "@turnpike/contract/tenants";
import type { Tx } from "@turnpike/db/client";
import type { Actor } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { toHeldRole, toRoleReply } from "./held-role.ts";
import type { MemberRow, OwnTenantRow } from "./members.store.ts";
import type { TenantPlan, TenantPlans } from "./tenants.ports.ts";
import { findTenantRow, findTenantRows, type TenantRow } from "./tenants.store.ts";

export type WithPlans = { plans: TenantPlans };

/** A tenant as webhooks show it: to any receiver, so without the role of one person. */
export type TenantEvent = Omit<Tenant, "role" | "customRole" | "logoId">;

/** @throws {AppError} `RESOURCE_NOT_FOUND` for a tenant that has just been deleted. */
export async function getTenantPlan(
  { plans }: WithPlans,
  tx: Tx,
  tenantId: TenantId,
): Promise<TenantPlan> {
  return pickPlan(await plans.list(tx, [tenantId]), tenantId);
}

function pickPlan(plans: ReadonlyMap<TenantId, TenantPlan>, tenantId: TenantId): TenantPlan {
  const plan = plans.get(tenantId);
  if (plan === undefined) {
    throw resourceNotFound("tenant");
  }
  return plan;
}

export function toTenantEvent(row: TenantRow, plan: TenantPlan): TenantEvent {
  return {
    tenantId: row.tenant_id,
    name: row.name,
    slug: row.slug,
    externalId: row.external_id,
    planId: plan.planId,
    planVersion: plan.planVersion,
    periodAnchor: plan.periodAnchor.toISOString(),
    suspendedAt: row.suspended_at?.toISOString() ?? null,
    ...(row.suspension_reason === null ? {} : { suspensionReason: row.suspension_reason }),
    createdAt: row.created_at.toISOString(),
  };
}

/** A tenant as webhooks show it, for the module that changes its plan; `undefined` when there is none. */
export async function findTenantEvent(
  tx: Tx,
  tenantId: TenantId,
  plan: TenantPlan,
): Promise<TenantEvent | undefined> {
  const row = await findTenantRow(tx, tenantId);
  return row && toTenantEvent(row, plan);
}

/** @param actor - A person sees their own role. */
export function toTenantReply(
  { row, plan }: { row: TenantRow; plan: TenantPlan },
  actor: Actor,
): Tenant {
  const role = actor.type === "user" ? actor.roles.get(row.tenant_id) : undefined;
  return {
    ...toTenantEvent(row, plan),
    logoId: row.logo_id,
    ...(role === undefined ? { role: null } : toRoleReply(role)),
  };
}

/** A tenant as a reply, with the plan that it has now. */
export async function replyWithPlan(
  deps: WithPlans,
  tx: Tx,
  { row, actor }: { row: TenantRow; actor: Actor },
): Promise<Tenant> {
  return toTenantReply({ row, plan: await getTenantPlan(deps, tx, row.tenant_id) }, actor);
}

/** Tenants as replies, in the same order; one that was deleted meanwhile is left out. */
export async function listWithPlans(
  { plans }: WithPlans,
  tx: Tx,
  { rows, actor }: { rows: readonly TenantRow[]; actor: Actor },
): Promise<Tenant[]> {
  const found = await plans.list(
    tx,
    rows.map((row) => row.tenant_id),
  );
  return rows.flatMap((row) => {
    const plan = found.get(row.tenant_id);
    return plan === undefined ? [] : [toTenantReply({ row, plan }, actor)];
  });
}

/** Tenants by their ids as replies, in no order. Needs the operator role. */
export async function listTenantReplies(
  deps: WithPlans,
  tx: Tx,
  { tenantIds, actor }: { tenantIds: readonly TenantId[]; actor: Actor },
): Promise<Tenant[]> {
  return await listWithPlans(deps, tx, { rows: await findTenantRows(tx, tenantIds), actor });
}

/** The tenants of one person, in the same order; one that was deleted meanwhile is left out. */
export async function listOwnWithPlans(
  { plans }: WithPlans,
  tx: Tx,
  rows: readonly OwnTenantRow[],
): Promise<OwnTenant[]> {
  const found = await plans.list(
    tx,
    rows.map((row) => row.tenant_id),
  );
  return rows.flatMap((row) => {
    const planId = found.get(row.tenant_id)?.planId;
    return planId === undefined
      ? []
      : [
          {
            tenantId: row.tenant_id,
            name: row.name,
            slug: row.slug,
            ...toRoleReply(toHeldRole(row)),
            planId,
            suspendedAt: row.suspended_at?.toISOString() ?? null,
            ...(row.suspension_reason === null ? {} : { suspensionReason: row.suspension_reason }),
            createdAt: row.created_at.toISOString(),
            logoId: row.logo_id,
          },
        ];
  });
}

export function toMemberReply(row: MemberRow): Member {
  return {
    userId: row.user_id,
    ...toRoleReply(toHeldRole(row)),
    email: row.email,
    name: row.name,
    createdAt: row.created_at.toISOString(),
  };
}
