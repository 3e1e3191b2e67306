import type { Member, Tenant } from "@turnpike/contract/tenants";
import type { MemberRow } from "./members.store.ts";
import type { TenantRow } from "./tenants.store.ts";

export function toTenantReply(row: TenantRow): Tenant {
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

export function toMemberReply(row: MemberRow): Member {
  return {
    userId: row.user_id,
    role: row.role,
    email: row.email,
    name: row.name,
    createdAt: row.created_at.toISOString(),
  };
}
