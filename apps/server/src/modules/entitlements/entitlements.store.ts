import type { Tx } from "@turnpike/db/client";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import type { Standing } from "@turnpike/domain/entitlements/standing";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { CalendarUnit } from "@turnpike/domain/time/period";

type EntitlementRow = {
  tenant_id: TenantId;
  suspended_at: Date | null;
  standing: Standing;
  plan_id: string;
  plan_version: number;
  terms: PlanTerms;
  period_anchor: Date;
  period_unit: CalendarUnit;
  period_every: number;
};

function toEntitlement(row: EntitlementRow): Entitlement {
  const { period_unit: unit, period_every: every } = row;
  return {
    tenantId: row.tenant_id,
    suspended: row.suspended_at !== null,
    standing: row.standing,
    planId: row.plan_id,
    planVersion: row.plan_version,
    terms: row.terms,
    periodAnchor: row.period_anchor,
    periodUnit: every === 1 ? unit : { every, unit },
  };
}

/** Lists what tenants may do now, in no order; tenants that do not exist are left out. */
export async function listEntitlements(
  tx: Tx,
  tenantIds: readonly TenantId[],
): Promise<Entitlement[]> {
  const rows = await tx<EntitlementRow[]>`
    select tenant_id, suspended_at, standing, plan_id, plan_version, terms, period_anchor, period_unit, period_every
    from entitlements where tenant_id = any(${[...tenantIds]}::text[])`;
  return rows.map(toEntitlement);
}

/** What a tenant may do now; `undefined` when it does not exist. */
export async function findEntitlement(
  tx: Tx,
  tenantId: TenantId,
): Promise<Entitlement | undefined> {
  const [entitlement] = await listEntitlements(tx, [tenantId]);
  return entitlement;
}

/** The same, locked until the end of the transaction: two changes of it take turns. Needs the operator role. */
export async function lockEntitlement(
  tx: Tx,
  tenantId: TenantId,
): Promise<Entitlement | undefined> {
  await tx`select 1 from tenant_entitlements where tenant_id = ${tenantId} for no key update`;
  return await findEntitlement(tx, tenantId);
}

type PlanVersion = { planId: string; version: number };

/** Needs the operator role, like all that follows. */
export async function insertEntitlement(
  tx: Tx,
  tenantId: TenantId,
  row: { plan: PlanVersion; periodAnchor: Date; now: Date },
): Promise<void> {
  await tx`
    insert into tenant_entitlements (tenant_id, plan_id, plan_version, period_anchor, updated_at)
    values (${tenantId}, ${row.plan.planId}, ${row.plan.version}, ${row.periodAnchor}, ${row.now})`;
}

export async function updatePlan(
  tx: Tx,
  tenantId: TenantId,
  input: { plan: PlanVersion; now: Date },
): Promise<void> {
  await tx`
    update tenant_entitlements
    set plan_id = ${input.plan.planId}, plan_version = ${input.plan.version}, updated_at = ${input.now}
    where tenant_id = ${tenantId}`;
}

export async function updateStanding(
  tx: Tx,
  tenantId: TenantId,
  input: { standing: Standing; now: Date },
): Promise<void> {
  await tx`
    update tenant_entitlements set standing = ${input.standing}, updated_at = ${input.now}
    where tenant_id = ${tenantId}`;
}

/** Removes what is left of a deleted tenant's entitlement. @returns Rows removed. */
export async function deleteEntitlement(tx: Tx, tenantId: TenantId): Promise<number> {
  const rows = await tx`delete from tenant_entitlements where tenant_id = ${tenantId} returning 1`;
  return rows.length;
}
