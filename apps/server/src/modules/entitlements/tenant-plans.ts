import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import { startOfMonth } from "@turnpike/domain/time/period";
import { listVersionTerms } from "#modules/catalog/index.ts";
import type { TenantPlan, TenantPlans } from "#modules/tenants/index.ts";
import { changePlanWithin, getPlanVersion } from "./change-plan.ts";
import { insertEntitlement, listEntitlements } from "./entitlements.store.ts";

function toTenantPlan({ planId, planVersion, periodAnchor }: Entitlement): TenantPlan {
  return { planId, planVersion, periodAnchor };
}

/** The plans of tenants, for the module that creates, shows and changes tenants. */
export const tenantPlans: TenantPlans = {
  async start(tx, { tenantId, planId, now }) {
    const plan = await getPlanVersion(tx, planId);
    const periodAnchor = startOfMonth(now);
    await insertEntitlement(tx, tenantId, { plan, periodAnchor, now });
    return { planId: plan.planId, planVersion: plan.version, periodAnchor };
  },
  async nameOf(tx, { planId, planVersion }) {
    const [found] = await listVersionTerms(tx, [{ planId, version: planVersion }]);
    return found?.terms.name ?? planId;
  },
  async list(tx, tenantIds) {
    const entitlements = await listEntitlements(tx, tenantIds);
    return new Map(entitlements.map((each) => [each.tenantId, toTenantPlan(each)]));
  },
  change: changePlanWithin,
};
