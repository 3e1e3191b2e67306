import type { Tx } from "@turnpike/db/client";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";
import type {
  EntitledSpend,
  Entitlement,
  TermsOverrides,
} from "@turnpike/domain/entitlements/entitlement";
import type { Standing } from "@turnpike/domain/entitlements/standing";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { CalendarUnit, PeriodUnit } from "@turnpike/domain/time/period";

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
  spend_cap: EntitledSpend | null;
  sandbox_spend: EntitledSpend | null;
  moving_since: Date | null;
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
    ...(row.moving_since === null ? {} : { isMoving: true }),
    ...(row.spend_cap === null ? {} : { spendCap: row.spend_cap }),
    ...(row.sandbox_spend === null ? {} : { sandboxSpend: row.sandbox_spend }),
  };
}

/** Lists what tenants may do now, in no order; tenants that do not exist are left out. */
export async function listEntitlements(
  tx: Tx,
  tenantIds: readonly TenantId[],
): Promise<Entitlement[]> {
  const rows = await tx<EntitlementRow[]>`
    select tenant_id, suspended_at, standing, plan_id, plan_version, terms, period_anchor, period_unit, period_every,
      spend_cap, sandbox_spend, moving_since
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

/** The tenants' own terms; tenants without any are left out. */
export async function listOverrides(
  tx: Tx,
  tenantIds: readonly TenantId[],
): Promise<Map<TenantId, TermsOverrides>> {
  const rows = await tx<{ tenant_id: TenantId; overrides: TermsOverrides }[]>`
    select tenant_id, overrides from tenant_entitlements
    where tenant_id = any(${[...tenantIds]}::text[]) and overrides <> '{}'`;
  return new Map(rows.map(({ tenant_id, overrides }) => [tenant_id, overrides]));
}

/** A tenant with a version of a plan. */
export type PlanSubscriber = { tenantId: TenantId; tenantName: string; planVersion: number };

/**
 * Tenants with a plan, in the order of their ids, after one of them; deleted ones are left out.
 *
 * @param input.version - Only those with this version.
 * @param input.notVersion - Only those with another version.
 */
export async function listPlanSubscribers(
  tx: Tx,
  input: {
    planId: string;
    version: number | undefined;
    notVersion: number | undefined;
    after: TenantId | undefined;
    limit: number;
  },
): Promise<PlanSubscriber[]> {
  const { planId, version, notVersion, after, limit } = input;
  return await tx<PlanSubscriber[]>`
    select e.tenant_id as "tenantId", t.name as "tenantName", e.plan_version as "planVersion"
    from tenant_entitlements e join tenants t using (tenant_id)
    where e.plan_id = ${planId}
      ${version === undefined ? tx`` : tx`and e.plan_version = ${version}`}
      ${notVersion === undefined ? tx`` : tx`and e.plan_version <> ${notVersion}`}
      ${after === undefined ? tx`` : tx`and e.tenant_id > ${after}`}
    order by e.tenant_id
    limit ${limit}`;
}

/** How many tenants have a plan in each version, newest first. */
export async function countPlanSubscribers(
  tx: Tx,
  planId: string,
): Promise<{ version: number; subscribers: number }[]> {
  return await tx<{ version: number; subscribers: number }[]>`
    select e.plan_version as version, count(*)::int as subscribers
    from tenant_entitlements e join tenants t using (tenant_id)
    where e.plan_id = ${planId}
    group by 1 order by 1 desc`;
}

/** What billing decides of an entitlement: the version, the terms of its phase, and the periods of quotas. */
export type Assignment = {
  plan: PlanVersion;
  phaseTerms: Partial<PlanTerms>;
  periodAnchor: Date;
  periodUnit: PeriodUnit;
};

/** Writes it. Needs the operator role. @returns False when the tenant has it already. */
export async function updateAssignment(
  tx: Tx,
  tenantId: TenantId,
  { plan, phaseTerms, periodAnchor, periodUnit, now }: Assignment & { now: Date },
): Promise<boolean> {
  const { every, unit } =
    typeof periodUnit === "string" ? { every: 1, unit: periodUnit } : periodUnit;
  const terms = tx.json(phaseTerms as never);
  const rows = await tx`
    update tenant_entitlements
    set plan_id = ${plan.planId}, plan_version = ${plan.version}, phase_terms = ${terms}, period_anchor = ${periodAnchor},
      period_unit = ${unit}, period_every = ${every}, updated_at = ${now}
    where tenant_id = ${tenantId} and (plan_id, plan_version, phase_terms, period_anchor, period_unit, period_every)
      is distinct from (${plan.planId}, ${plan.version}, ${terms}::jsonb, ${periodAnchor}::timestamptz, ${unit}, ${every}::int)
    returning 1`;
  return rows.length > 0;
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

export type TermsRow = {
  planId: string;
  planVersion: number;
  /** Of the version, in the present phase. */
  planTerms: PlanTerms;
  overrides: TermsOverrides;
};

/** A tenant's terms, and where they are from. */
export async function findTermsRow(tx: Tx, tenantId: TenantId): Promise<TermsRow | undefined> {
  const [row] = await tx<TermsRow[]>`
    select e.plan_id as "planId", e.plan_version as "planVersion", v.terms || e.phase_terms as "planTerms", e.overrides
    from tenant_entitlements e
      join tenants t using (tenant_id)
      join plan_versions v on v.plan_id = e.plan_id and v.version = e.plan_version
    where e.tenant_id = ${tenantId}`;
  return row;
}

export async function updateOverrides(
  tx: Tx,
  tenantId: TenantId,
  input: { overrides: TermsOverrides; now: Date },
): Promise<void> {
  await tx`
    update tenant_entitlements
    set overrides = ${tx.json(input.overrides as never)}, updated_at = ${input.now}
    where tenant_id = ${tenantId}`;
}

/** Removes what is left of a deleted tenant's entitlement. @returns Rows removed. */
export async function deleteEntitlement(tx: Tx, tenantId: TenantId): Promise<number> {
  const rows = await tx`delete from tenant_entitlements where tenant_id = ${tenantId} returning 1`;
  return rows.length;
}
