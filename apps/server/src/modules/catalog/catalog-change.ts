import type { CouponDefinition } from "@turnpike/domain/catalog/coupon";
import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import type { PlanTerms } from "@turnpike/domain/catalog/plan";

/** The state that meters, plans and coupons are brought to. */
export type CatalogChange = {
  meters: readonly MeterDefinition[];
  plans: readonly (PlanTerms & { planId: string })[];
  coupons?: readonly CouponDefinition[] | undefined;
  defaultPlanId?: string | undefined;
};
