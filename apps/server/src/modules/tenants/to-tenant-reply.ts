import type { OwnTenant } from "@turnpike/contract/auth";
import type { Member, Tenant } from "@turnpike/contract/tenants";
import type { Actor } from "@turnpike/domain/access/actor";
import type { MemberRow, OwnTenantRow } from "./members.store.ts";
import type { TenantRow } from "./tenants.store.ts";

/** As a webhook says it, to whomever: without the role of somebody. */
export function toTenantEvent(row: TenantRow): Omit<Tenant, "role"> {
  return {
    tenantId: row.tenant_id,
    name: row.name,
    slug: row.slug,
    externalId: row.external_id,
    planId: row.plan_id,
    planVersion: row.plan_version,
    periodAnchor: row.period_anchor.toISOString(),
    suspendedAt: row.suspended_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}

/** @param actor - Who asks: a person is told their role. */
export function toTenantReply(row: TenantRow, actor: Actor): Tenant {
  return {
    ...toTenantEvent(row),
    role: (actor.type === "user" ? actor.roles.get(row.tenant_id) : undefined) ?? null,
  };
}

export function toOwnTenant(row: OwnTenantRow): OwnTenant {
  return {
    tenantId: row.tenant_id,
    name: row.name,
    slug: row.slug,
    role: row.role,
    planId: row.plan_id,
    suspendedAt: row.suspended_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}

export function toMemberReply(row: MemberRow): Member {
  return {
    userId: row.user_id,
    role: row.role,
    email: row.email,
    name: row.name,
    createdAt: row.created_at.toISOString(),
  };
}
