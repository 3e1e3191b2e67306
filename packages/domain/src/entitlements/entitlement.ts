import type { PlanTerms } from "../catalog/plan.ts";
import type { TenantId } from "../ids/ids.ts";
import type { PeriodUnit } from "../time/period.ts";
import type { Standing } from "./standing.ts";

/** Terms of a plan that one tenant has differently. A list that is given replaces the plan's whole list. */
export type TermsOverrides = Partial<
  Pick<PlanTerms, "rateLimits" | "quotas" | "concurrency" | "scopes">
>;

/** What a tenant may do now. */
export type Entitlement = {
  tenantId: TenantId;
  /** True when the operator has suspended the tenant. */
  suspended: boolean;
  standing: Standing;
  planId: string;
  planVersion: number;
  /** The plan's terms with the tenant's overrides applied. */
  terms: PlanTerms;
  /** Start of one billing period, UTC, and how long each one is: see `period` in `time/period.ts`. */
  periodAnchor: Date;
  periodUnit: PeriodUnit;
};
